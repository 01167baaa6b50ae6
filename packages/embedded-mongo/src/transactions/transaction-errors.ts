import { MongoError } from "../errors.ts";
import type { Transaction } from "./transaction.ts";

/** A write outside of transactions needs a document that an open transaction has changed. */
export class LockedByTransaction extends Error {
  readonly owner: Transaction;
  constructor(owner: Transaction) {
    super("the document is locked by a transaction");
    this.owner = owner;
  }
}

export const transientErrorLabels = { errorLabels: ["TransientTransactionError"] } as const;

export function writeConflict(): MongoError {
  return new MongoError(
    "WriteConflict",
    "Caused by :: Write conflict during plan execution and yielding is disabled. :: Please retry your operation or multi-document transaction.",
    transientErrorLabels,
  );
}

export function noSuchTransaction(number: bigint): MongoError {
  return new MongoError(
    "NoSuchTransaction",
    `Given transaction number ${number} does not match any in-progress transactions.`,
    transientErrorLabels,
  );
}

export function transactionCommitted(number: bigint): MongoError {
  return new MongoError("TransactionCommitted", `Transaction ${number} has been committed.`);
}
