import type { StoreWrite, WritePattern } from "./store-write.ts";
import type { Side, StoreProxy } from "./store-proxy.ts";

export interface CrashScenario<Subject> {
  /** Makes the state before the workflow, on a worker of its own. */
  readonly prepare: () => Promise<Subject>;
  /** The workflow, on a worker that uses the proxy. It fails when the worker dies. */
  readonly run: (subject: Subject) => Promise<unknown>;
  /** What a fresh worker does after the crash: usually the same workflow. */
  readonly runAgain: (subject: Subject) => Promise<unknown>;
  /** The invariants: they hold after every crash, and without one. */
  readonly check: (subject: Subject, crash: CrashPoint | undefined) => Promise<void> | void;
  /** The writes at which the worker dies. Default: all but the outbox's writes for itself. */
  readonly pattern?: WritePattern;
}

export interface CrashPoint {
  readonly nth: number;
  readonly side: Side;
  readonly write: StoreWrite;
}

/** With more writes than these, a workflow does not end. */
const writesMax = 200;

/**
 * Runs a workflow once for each of its writes and each side of them. There the worker dies, a fresh one
 * runs the workflow again, and the invariants are checked. Returns the crash points, in order.
 */
export async function crashAtEachWrite<Subject>(
  proxy: StoreProxy,
  scenario: CrashScenario<Subject>,
): Promise<readonly CrashPoint[]> {
  const points: CrashPoint[] = [];
  for (let nth = 1; nth <= writesMax; nth += 1) {
    for (const side of ["before", "after"] as const) {
      const point = await crashOnce(proxy, scenario, nth, side);
      if (!point) return points;
      points.push(point);
    }
  }
  throw new Error(`the workflow has more than ${writesMax} writes`);
}

async function crashOnce<Subject>(
  proxy: StoreProxy,
  { prepare, run, runAgain, check, pattern = {} }: CrashScenario<Subject>,
  nth: number,
  side: Side,
): Promise<CrashPoint | undefined> {
  const subject = await prepare();
  let point: CrashPoint | undefined;
  void proxy.kill({ nth, side, pattern }).then((write) => {
    point = { nth, side, write };
  });
  try {
    await run(subject);
  } catch (error) {
    if (!point) throw error;
  } finally {
    proxy.forget();
    proxy.revive();
  }
  try {
    await runAgain(subject);
    await check(subject, point);
  } catch (error) {
    throw new Error(`wrong after ${describePoint(point)}: ${String(error)}`, { cause: error });
  }
  return point;
}

function describePoint(point: CrashPoint | undefined): string {
  if (!point) return "a run without a crash";
  const { nth, side, write } = point;
  return `a crash ${side} write ${nth} (${write.command} in ${write.collection})`;
}
