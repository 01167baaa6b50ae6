import { Buffer } from "node:buffer";
import { MongoError } from "../errors.ts";
import type { Cursors } from "../cursors.ts";
import type { Store } from "../storage/store.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { LockedByTransaction, writeConflict } from "../transactions/transactions.ts";
import type { Transactions } from "../transactions/transactions.ts";
import { encodeBody, errorReply } from "../wire/message.ts";
import type { Message } from "../wire/message.ts";
import type { ConnectionFacts, Reply, ServerFacts } from "./command.ts";
import { withLabels } from "./error-labels.ts";
import { callOf, prepare, transactionOf } from "./prepare-call.ts";
import type { Prepared } from "./prepare-call.ts";

export type Answer = (reply: Buffer) => void;

export type Surroundings = {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly transactions: Transactions;
  readonly server: ServerFacts;
  /** Whether commands that only tests need are there. */
  readonly testCommands: boolean;
  readonly report: (error: unknown) => void;
};

/** Runs one message's command; its answer comes when what it wrote is on disk. */
export function execute(
  around: Surroundings,
  connection: ConnectionFacts,
  message: Message,
  answer: Answer,
): void {
  let prepared: Prepared | undefined;
  try {
    prepared = prepare(around, message);
  } catch (error) {
    answer(failure(around, error, undefined));
    return;
  }
  runPrepared(around, connection, prepared, performance.now(), answer);
}

function runPrepared(
  around: Surroundings,
  connection: ConnectionFacts,
  prepared: Prepared,
  arrivedAt: number,
  answer: Answer,
): void {
  const { store, transactions } = around;
  let reply: Buffer;
  try {
    reply = encoded(run(around, connection, prepared, arrivedAt));
  } catch (error) {
    if (error instanceof LockedByTransaction) {
      const again = () => runPrepared(around, connection, prepared, arrivedAt, answer);
      if (transactions.whenEnded(error.owner, again)) return;
    }
    reply = failure(around, error, prepared);
  }
  store.group.whenCommitted({
    committed: () => answer(reply),
    failed: (error) => answer(encodeBody(errorReply(commitFailed(error)))),
  });
}

function run(
  around: Surroundings,
  connection: ConnectionFacts,
  prepared: Prepared,
  arrivedAt: number,
): Reply {
  const { command } = prepared;
  const { counters } = around.server;
  counters.set(command.name, (counters.get(command.name) ?? 0) + 1);
  const { store, transactions } = around;
  const transaction = transactionOf(around, prepared);
  if (transaction !== undefined) {
    return runInTransaction(around, connection, prepared, transaction, arrivedAt);
  }
  transactions.conceal();
  const call = callOf(around, connection, prepared, arrivedAt);
  call.deadline.check();
  if (command.kind !== "write") return command.run(call);
  store.group.join();
  if (transactions.anyOpen)
    return runAmongTransactions(around, () => command.run(call), call.retryable);
  const reply = command.run(call);
  call.retryable?.save(store.sessions);
  return reply;
}

/** While transactions are open a write may meet a lock half way: then all of it is undone. */
function runAmongTransactions(
  { store, transactions }: Surroundings,
  statement: () => Reply,
  retryable: { save(records: Store["sessions"]): void } | undefined,
): Reply {
  const position = transactions.logPosition;
  let reply: Reply = {};
  try {
    store.undoable(() => {
      reply = statement();
      retryable?.save(store.sessions);
    });
  } catch (error) {
    transactions.truncateLog(position);
    throw error;
  }
  return reply;
}

function runInTransaction(
  around: Surroundings,
  connection: ConnectionFacts,
  prepared: Prepared,
  transaction: Transaction,
  arrivedAt: number,
): Reply {
  const { transactions } = around;
  const reply = transactions.run(transaction, () =>
    prepared.command.run(callOf(around, connection, prepared, arrivedAt)),
  );
  // A statement that failed ends its transaction, however it is reported.
  if (!Buffer.isBuffer(reply) && reply["writeErrors"] !== undefined)
    transactions.abort(transaction);
  return reply;
}

function encoded(reply: Reply): Buffer {
  return Buffer.isBuffer(reply) ? reply : encodeBody(reply);
}

function failure(around: Surroundings, error: unknown, prepared: Prepared | undefined): Buffer {
  const { group } = around.store;
  let known: MongoError;
  if (error instanceof MongoError) {
    known = error;
  } else if (error instanceof LockedByTransaction) {
    known = writeConflict();
  } else {
    around.report(error);
    group.abandon(error);
    known = new MongoError("InternalError", error instanceof Error ? error.message : String(error));
  }
  const labelled = withLabels(known, {
    retryableWrite: prepared?.command.retryable === true && prepared.body.has("txnNumber"),
    inTransaction: prepared?.inTransaction === true,
    endsTransaction: prepared?.command.endsTransaction === true,
  });
  return encodeBody(errorReply(labelled));
}

/** Nothing of the group was written, so that a client may try again. */
function commitFailed(error: unknown): MongoError {
  return new MongoError(
    "InterruptedDueToReplStateChange",
    `the write was undone: ${error instanceof Error ? error.message : String(error)}`,
    { errorLabels: ["RetryableWriteError"] },
  );
}
