import type { ServerContext } from "../commands/server-context.ts";
import { limits } from "../limits.ts";
import { deleteExpired } from "./delete-expired.ts";

const idleSweepMaxMs = 10_000;
const idleCommitMs = 1_000;

/** How long unused cursors, sessions and transactions are kept. */
export type IdleBounds = {
  readonly cursorIdleMs: number;
  readonly sessionIdleMs: number;
  readonly transactionLifetimeMs: number;
};

/**
 * Starts the periodic work: closing idle cursors, sessions and transactions, deleting expired
 * documents, and committing SQLite when no writes arrive. Returns the function that stops it.
 */
export function startMaintenance(
  context: ServerContext,
  bounds: IdleBounds,
  ttlSweepMs: number = limits.ttlSweepMs,
): () => void {
  const { cursorIdleMs, transactionLifetimeMs } = bounds;
  const idleSweepMs = Math.min(idleSweepMaxMs, cursorIdleMs, transactionLifetimeMs);
  const idle = setInterval(
    () => runGuarded(context, () => sweepIdle(context, bounds)),
    idleSweepMs,
  );
  idle.unref();
  const idleCommit = setInterval(
    () => runGuarded(context, () => context.store.commitWhenIdle()),
    idleCommitMs,
  );
  idleCommit.unref();
  let expiry: NodeJS.Timeout | undefined;
  const sweepExpired = () => {
    let more = false;
    runGuarded(context, () => {
      context.transactions.removeOverlay();
      more = deleteExpired(context.store, Date.now());
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
    clearInterval(idleCommit);
    clearTimeout(expiry);
  };
}

function runGuarded({ store, reportError }: ServerContext, work: () => void): void {
  try {
    work();
  } catch (error) {
    reportError(error);
    store.group.rollBack(error);
  }
}

function sweepIdle({ cursors, store, transactions }: ServerContext, bounds: IdleBounds): void {
  const now = Date.now();
  transactions.abortOlderThan(now - bounds.transactionLifetimeMs);
  transactions.removeOverlay();
  cursors.closeIdleSince(now - bounds.cursorIdleMs, now - bounds.sessionIdleMs);
  const { sessions, group } = store;
  if (!sessions.hasUnusedSince(now - bounds.sessionIdleMs)) return;
  group.join();
  sessions.deleteUnusedSince(now - bounds.sessionIdleMs);
}
