import { Buffer } from "node:buffer";
import { encodeDocument } from "../bson/values.ts";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { ChangeWatcher } from "../storage/collection.ts";
import { decodeRecord } from "../storage/session-records.ts";
import type { Store } from "../storage/store.ts";
import { applyChanges, rewind } from "./apply-changes.ts";
import { documentKey, uniqueKey } from "./transaction.ts";
import type { Transaction } from "./transaction.ts";
import { UndoLog } from "./undo-log.ts";

/** A writer outside of transactions met a document that a transaction has changed. */
export class LockedByTransaction extends Error {
  readonly owner: Transaction;
  constructor(owner: Transaction) {
    super("the document is locked by a transaction");
    this.owner = owner;
  }
}

export const transient = { errorLabels: ["TransientTransactionError"] } as const;

export function writeConflict(): MongoError {
  return new MongoError(
    "WriteConflict",
    "Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.",
    transient,
  );
}

/**
 * Transactions of several statements. Each sees the store as it was when it began, and its own
 * changes; nothing of it is in the store before it commits. A statement runs on a SQLite
 * transaction in which what others wrote since is undone and its own changes are applied, and
 * which is rolled back afterwards; as long as nobody else wants the store it is kept for the next.
 */
export class Transactions {
  private readonly store: Store;
  private readonly bySession = new Map<string, Transaction>();
  private readonly owners = new Map<string, Transaction>();
  private readonly keyOwners = new Map<string, Transaction>();
  private readonly log = new UndoLog();
  private readonly waiting = new Map<Transaction, (() => void)[]>();
  private openCount = 0;
  private shown: Transaction | undefined;

  constructor(store: Store) {
    this.store = store;
    // What the log says of writes that are undone is not true.
    store.whenAbandoned = () => this.abortAll();
  }

  get anyOpen(): boolean {
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
    this.conceal();
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
    this.store.catalog.watcher = this.outsideWatcher();
    return begun;
  }

  /** Runs a statement of the transaction; an error in it ends the transaction. */
  run<T>(transaction: Transaction, statement: () => T): T {
    this.show(transaction);
    this.store.catalog.watcher = this.insideWatcher(transaction);
    try {
      return statement();
    } catch (error) {
      this.abort(transaction);
      throw error;
    } finally {
      if (this.anyOpen) this.store.catalog.watcher = this.outsideWatcher();
    }
  }

  /** Must come before anything outside of a transaction reads or writes. */
  conceal(): void {
    if (this.shown === undefined) return;
    this.shown = undefined;
    this.store.takeOff();
  }

  private show(transaction: Transaction): void {
    if (this.shown === transaction) return;
    this.conceal();
    this.store.group.commit();
    if (this.log.isFull) {
      this.abort(transaction);
      throw new MongoError(246, "the snapshot of the transaction is too old", transient);
    }
    const { catalog } = this.store;
    this.store.layOver();
    this.shown = transaction;
    catalog.watcher = undefined;
    try {
      rewind(catalog, this.log.since(transaction.snapshot));
      applyChanges(catalog, transaction);
    } catch (error) {
      this.abort(transaction);
      throw error;
    }
  }

  /** Joins the changes to the commit group: they are one commit with the record of it. */
  commit(transaction: Transaction, sessionId: Buffer): void {
    this.conceal();
    const { catalog, group, sessions } = this.store;
    if (transaction.changes.size > 0 || transaction.creations.length > 0) {
      group.join();
      catalog.watcher = undefined;
      try {
        this.store.undoable(() => applyChanges(catalog, transaction));
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
    if (this.shown === transaction) this.conceal();
    if (transaction.state === "open") this.end(transaction, "aborted");
  }

  /** Whether the record on disk says that the transaction was committed, before a restart. */
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

  /** False when too many wait for it already. */
  mayWait(transaction: Transaction): boolean {
    return (this.waiting.get(transaction)?.length ?? 0) < limits.writersWaitingMax;
  }

  whenEnded(transaction: Transaction, callback: () => void): void {
    this.waiting.set(transaction, [...(this.waiting.get(transaction) ?? []), callback]);
  }

  /** For undoing a statement outside of transactions that met a lock half way. */
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
    if (!this.anyOpen) {
      this.log.clear();
      this.store.catalog.watcher = undefined;
    } else {
      this.store.catalog.watcher = this.outsideWatcher();
    }
    const callbacks = this.waiting.get(transaction) ?? [];
    this.waiting.delete(transaction);
    for (const callback of callbacks) setImmediate(callback);
  }

  private outsideWatcher(): ChangeWatcher {
    return {
      before: ({ db, name }, rid) => {
        const owner = this.owners.get(documentKey(db, name, rid));
        if (owner !== undefined) throw new LockedByTransaction(owner);
      },
      after: ({ db, name }, rid, before, after) =>
        this.log.append({ db, name, rid, before, after }),
      takes: ({ db, name }, index, key) => {
        const owner = this.keyOwners.get(uniqueKey(db, name, index, key));
        if (owner !== undefined) throw new LockedByTransaction(owner);
      },
      created: () => undefined,
    };
  }

  private insideWatcher(transaction: Transaction): ChangeWatcher {
    const { changes } = transaction;
    return {
      before: ({ db, name }, rid) => {
        const key = documentKey(db, name, rid);
        const owner = this.owners.get(key);
        if (owner === transaction) return;
        if (owner !== undefined || this.log.changedSince(transaction.snapshot, key)) {
          throw writeConflict();
        }
      },
      after: ({ db, name }, rid, before, after) => {
        const key = documentKey(db, name, rid);
        const known = changes.get(key);
        const original = known === undefined ? before : known.before;
        // The bytes belong to the message they came with, which is soon gone.
        const kept = after === undefined ? undefined : Buffer.from(after);
        changes.set(key, { db, name, rid, before: original, after: kept });
        this.owners.set(key, transaction);
        transaction.changedBytes += (kept?.length ?? 0) + 64;
        if (transaction.changedBytes > limits.snapshotBytesMax) {
          throw new MongoError(
            "TransactionTooLarge",
            `a transaction may change at most ${limits.snapshotBytesMax} bytes`,
          );
        }
      },
      takes: ({ db, name }, index, key) => {
        const taken = uniqueKey(db, name, index, key);
        if ((this.keyOwners.get(taken) ?? transaction) !== transaction) throw writeConflict();
        this.keyOwners.set(taken, transaction);
        transaction.keys.add(taken);
      },
      created: (creation) => transaction.creations.push(creation),
    };
  }
}
