import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../logging/log.ts";

/** A frozen NATS or store must not hold up the rest; requests have their deadline anyway. */
const phaseMaxMs = 6_000;

type Step = () => Promise<void> | void;

export interface Shutdown {
  readonly signal: AbortSignal;
  /** Steps run in the order of their phase: intake, then work in flight, then connections. */
  on(phase: "intake" | "work" | "connections", step: Step): void;
  begin(reason: string): Promise<void>;
}

/** Nothing rests on an orderly end, but it spares callers an error and workers a repetition. */
export function createShutdown(log: Log, delayMs: number): Shutdown {
  const stopping = new AbortController();
  const phases = { intake: [] as Step[], work: [] as Step[], connections: [] as Step[] };
  let done: Promise<void> | undefined;

  async function run(reason: string) {
    log.info({ reason }, "stopping");
    stopping.abort();
    await sleep(delayMs);
    for (const steps of [phases.intake, phases.work, phases.connections]) {
      const ended = await Promise.race([
        Promise.allSettled(steps.map(async (step) => step())),
        sleep(phaseMaxMs, undefined, { ref: false }),
      ]);
      if (!ended) log.error("not stopped in time; going on");
      for (const settled of ended ?? []) {
        if (settled.status === "rejected") log.error({ err: settled.reason }, "while stopping");
      }
    }
    log.info("stopped");
  }

  return {
    signal: stopping.signal,
    on: (phase, step) => void phases[phase].push(step),
    begin: (reason) => (done ??= run(reason)),
  };
}
