import type { Surroundings } from "./commands/execute.ts";
import { limits } from "./limits.ts";
import { deleteExpired } from "./ttl.ts";

const idleSweepMs = 10_000;

/** Lets go of what nobody uses any more and of documents past their time, until it is stopped. */
export function startUpkeep(
  around: Surroundings,
  ttlSweepMs: number = limits.ttlSweepMs,
): () => void {
  const idle = setInterval(() => guarded(around, () => sweepIdle(around)), idleSweepMs);
  idle.unref();
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
  schedule(ttlSweepMs);
  return () => {
    clearInterval(idle);
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

function sweepIdle({ cursors, store, transactions }: Surroundings): void {
  transactions.abortOlderThan(Date.now() - limits.transactionLifetimeMs);
  transactions.conceal();
  cursors.closeIdleSince(Date.now() - limits.cursorIdleMs);
  store.group.join();
  store.sessions.deleteUnusedSince(Date.now() - limits.sessionIdleMs);
}
