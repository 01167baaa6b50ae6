import type { Surroundings } from "./commands/execute.ts";
import { limits } from "./limits.ts";
import { deleteExpired } from "./ttl.ts";

const idleSweepMaxMs = 10_000;
const settleMs = 1_000;

/** How long something may stay that nobody uses. */
export type IdleBounds = {
  readonly cursorIdleMs: number;
  readonly sessionIdleMs: number;
  readonly transactionLifetimeMs: number;
};

/** Lets go of what nobody uses any more and of documents past their time, until it is stopped. */
export function startUpkeep(
  around: Surroundings,
  bounds: IdleBounds,
  ttlSweepMs: number = limits.ttlSweepMs,
): () => void {
  const { cursorIdleMs, transactionLifetimeMs } = bounds;
  const idleSweepMs = Math.min(idleSweepMaxMs, cursorIdleMs, transactionLifetimeMs);
  const idle = setInterval(() => guarded(around, () => sweepIdle(around, bounds)), idleSweepMs);
  idle.unref();
  const settling = setInterval(() => guarded(around, () => around.store.settle()), settleMs);
  settling.unref();
  let expiry: NodeJS.Timeout | undefined;
  const sweepExpired = () => {
    let more = false;
    guarded(around, () => {
      around.transactions.conceal();
      more = deleteExpired(around.store, Date.now());
    });
    schedule(more ? 0 : ttlSweepMs);
  };
  const schedule = (delay: number) => {
    expiry = setTimeout(sweepExpired, delay);
    expiry.unref();
  };
  if (ttlSweepMs > 0) schedule(ttlSweepMs);
  return () => {
    clearInterval(idle);
    clearInterval(settling);
    clearTimeout(expiry);
  };
}

function guarded({ store, report }: Surroundings, work: () => void): void {
  try {
    work();
  } catch (error) {
    report(error);
    store.group.abandon(error);
  }
}

function sweepIdle({ cursors, store, transactions }: Surroundings, bounds: IdleBounds): void {
  const now = Date.now();
  transactions.abortOlderThan(now - bounds.transactionLifetimeMs);
  transactions.conceal();
  cursors.closeIdleSince(now - bounds.cursorIdleMs, now - bounds.sessionIdleMs);
  const { sessions, group } = store;
  if (!sessions.anyUnusedSince(now - bounds.sessionIdleMs)) return;
  group.join();
  sessions.deleteUnusedSince(now - bounds.sessionIdleMs);
}
