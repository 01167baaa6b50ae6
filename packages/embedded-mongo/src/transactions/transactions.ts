import { Buffer } from "node:buffer";
import { encodeDocument } from "../document-codec.ts";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { ChangeObserver } from "../storage/collections/collection.ts";
import { decodeRecord } from "../storage/session-records.ts";
import type { Store } from "../storage/store.ts";
import { applyChanges, restoreSnapshot } from "./apply-changes.ts";
import { documentKey, uniqueKey } from "./transaction.ts";
import type { Transaction } from "./transaction.ts";
import { LockedByTransaction, transientErrorLabels, writeConflict } from "./transaction-errors.ts";
import { UndoLog } from "./undo-log.ts";

/**
 * Transactions of several statements. Each transaction sees the store as it was at its start, plus
 * its own changes. Its changes are not in the store before it commits.
 *
 * A statement runs on an overlay: a savepoint of SQLite in which the later writes of others are
 * undone and the transaction's own changes are applied. The overlay is rolled back afterwards. It
 * stays for the next statement of the same transaction until another command needs the store.
 */
export class Transactions {
  private readonly store: Store;
  private readonly bySession = new Map<string, Transaction>();
  private readonly owners = new Map<string, Transaction>();
  private readonly keyOwners = new Map<string, Transaction>();
  private readonly log = new UndoLog();
  private readonly waiting = new Map<Transaction, (() => void)[]>();
  private openCount = 0;
  private overlaid: Transaction | undefined;

  constructor(store: Store) {
    this.store = store;
    // The undo log lists writes that have been rolled back, so no snapshot can be restored from it.
    store.onRollback = () => this.abortAll();
  }

  get hasOpen(): boolean {
    return this.openCount > 0;
  }

  find(session: string, number: bigint): Transaction | undefined {
    const found = this.bySession.get(session);
    return found?.number === number ? found : undefined;
  }

  begin(session: string, sessionId: Buffer, number: bigint): Transaction {
    const last = this.bySession.get(session);
    const recorded = this.store.sessions.find(sessionId)?.number ?? -1n;
    const newest = last !== undefined && last.number > recorded ? last.number : recorded;
    if (number < newest) {
      throw new MongoError(
        "TransactionTooOld",
        `Cannot start transaction ${number} on session because a newer transaction with txnNumber ${newest} has already started.`,
      );
    }
    if (number === newest) {
      throw new MongoError(
        117,
        `Cannot start a transaction at given transaction number ${number} a transaction with the same number is in state ${last?.state ?? "done"}`,
      );
    }
    if (last?.state === "open") this.abort(last);
    if (this.openCount >= limits.transactionsMax) {
      throw new MongoError("OperationFailed", `more than ${limits.transactionsMax} transactions`);
    }
    this.removeOverlay();
    this.store.group.commit();
    const begun: Transaction = {
      session,
      number,
      startedAt: Date.now(),
      snapshot: this.log.position,
      changes: new Map(),
      creations: [],
      keys: new Set(),
      changedBytes: 0,
      state: "open",
    };
    this.bySession.set(session, begun);
    this.openCount++;
    this.store.catalog.observer = this.outsideObserver();
    return begun;
  }

  /** Runs a statement of the transaction. An error aborts the transaction. */
  run<T>(transaction: Transaction, statement: () => T): T {
    this.applyOverlay(transaction);
    this.store.catalog.observer = this.transactionObserver(transaction);
    try {
      return statement();
    } catch (error) {
      this.abort(transaction);
      throw error;
    } finally {
      if (this.hasOpen) this.store.catalog.observer = this.outsideObserver();
    }
  }

  /** Must be called before a command outside of the transaction reads or writes. */
  removeOverlay(): void {
    if (this.overlaid === undefined) return;
    this.overlaid = undefined;
    this.store.rollBackOverlay();
  }

  private applyOverlay(transaction: Transaction): void {
    if (this.overlaid === transaction) return;
    this.removeOverlay();
    this.store.group.commit();
    if (this.log.isFull) {
      this.abort(transaction);
      throw new MongoError(246, "the snapshot of the transaction is too old", transientErrorLabels);
    }
    const { catalog } = this.store;
    this.store.beginOverlay();
    this.overlaid = transaction;
    catalog.observer = undefined;
    try {
      restoreSnapshot(catalog, this.log.since(transaction.snapshot));
      applyChanges(catalog, transaction);
    } catch (error) {
      this.abort(transaction);
      throw error;
    }
  }

  /**
   * Writes the changes in the commit group, together with the record that the transaction
   * committed.
   */
  commit(transaction: Transaction, sessionId: Buffer): void {
    this.removeOverlay();
    const { catalog, group, sessions } = this.store;
    if (transaction.changes.size > 0 || transaction.creations.length > 0) {
      group.join();
      catalog.observer = undefined;
      try {
        this.store.runAtomically(() => applyChanges(catalog, transaction));
      } catch (error) {
        this.abort(transaction);
        throw error instanceof MongoError ? writeConflict() : error;
      }
      for (const change of transaction.changes.values()) this.log.append(change);
      sessions.save(sessionId, transaction.number, encodeDocument({ transaction: "committed" }));
    }
    this.end(transaction, "committed");
  }

  abort(transaction: Transaction): void {
    if (this.overlaid === transaction) this.removeOverlay();
    if (transaction.state === "open") this.end(transaction, "aborted");
  }

  /** Whether the session record says that the transaction committed. It also survives a restart. */
  wasCommitted(sessionId: Buffer, number: bigint): boolean {
    const last = this.store.sessions.find(sessionId);
    return last?.number === number && decodeRecord(last)["transaction"] === "committed";
  }

  endSession(session: string): void {
    const transaction = this.bySession.get(session);
    if (transaction?.state === "open") this.abort(transaction);
    this.bySession.delete(session);
  }

  abortAll(): void {
    for (const transaction of this.bySession.values()) this.abort(transaction);
  }

  abortOlderThan(time: number): void {
    for (const [session, transaction] of this.bySession) {
      if (transaction.startedAt >= time) continue;
      if (transaction.state === "open") this.abort(transaction);
      else this.bySession.delete(session);
    }
  }

  /** False if too many writers wait for the transaction already. */
  canWait(transaction: Transaction): boolean {
    return (this.waiting.get(transaction)?.length ?? 0) < limits.writersWaitingMax;
  }

  runWhenEnded(transaction: Transaction, callback: () => void): void {
    this.waiting.set(transaction, [...(this.waiting.get(transaction) ?? []), callback]);
  }

  /** Used to undo a statement outside of transactions that met a lock half way through. */
  get logPosition(): number {
    return this.log.position;
  }

  truncateLog(position: number): void {
    this.log.truncate(position);
  }

  private end(transaction: Transaction, state: "committed" | "aborted"): void {
    transaction.state = state;
    for (const key of transaction.changes.keys()) this.owners.delete(key);
    for (const key of transaction.keys) this.keyOwners.delete(key);
    transaction.changes.clear();
    transaction.keys.clear();
    this.openCount--;
    if (!this.hasOpen) {
      this.log.clear();
      this.store.catalog.observer = undefined;
    } else {
      this.store.catalog.observer = this.outsideObserver();
    }
    const callbacks = this.waiting.get(transaction) ?? [];
    this.waiting.delete(transaction);
    for (const callback of callbacks) setImmediate(callback);
  }

  private outsideObserver(): ChangeObserver {
    return {
      beforeChange: ({ db, name }, rid) => {
        const owner = this.owners.get(documentKey(db, name, rid));
        if (owner !== undefined) throw new LockedByTransaction(owner);
      },
      afterChange: ({ db, name }, rid, before, after) =>
        this.log.append({ db, name, rid, before, after }),
      beforeUniqueKey: ({ db, name }, index, key) => {
        const owner = this.keyOwners.get(uniqueKey(db, name, index, key));
        if (owner !== undefined) throw new LockedByTransaction(owner);
      },
      afterCreation: () => undefined,
    };
  }

  private transactionObserver(transaction: Transaction): ChangeObserver {
    const { changes } = transaction;
    return {
      beforeChange: ({ db, name }, rid) => {
        const key = documentKey(db, name, rid);
        const owner = this.owners.get(key);
        if (owner === transaction) return;
        if (owner !== undefined || this.log.changedSince(transaction.snapshot, key)) {
          throw writeConflict();
        }
      },
      afterChange: ({ db, name }, rid, before, after) => {
        const key = documentKey(db, name, rid);
        const known = changes.get(key);
        const original = known === undefined ? before : known.before;
        // Copy the bytes: they are a slice of the message, whose buffer is released soon.
        const copy = after === undefined ? undefined : Buffer.from(after);
        changes.set(key, { db, name, rid, before: original, after: copy });
        this.owners.set(key, transaction);
        transaction.changedBytes += (copy?.length ?? 0) + 64;
        if (transaction.changedBytes > limits.snapshotBytesMax) {
          throw new MongoError(
            "TransactionTooLarge",
            `a transaction may change at most ${limits.snapshotBytesMax} bytes`,
          );
        }
      },
      beforeUniqueKey: ({ db, name }, index, key) => {
        const taken = uniqueKey(db, name, index, key);
        if ((this.keyOwners.get(taken) ?? transaction) !== transaction) throw writeConflict();
        this.keyOwners.set(taken, transaction);
        transaction.keys.add(taken);
      },
      afterCreation: (creation) => transaction.creations.push(creation),
    };
  }
}
