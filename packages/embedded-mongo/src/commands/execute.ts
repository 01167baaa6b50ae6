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
import type { Interference, Interferer } from "../faults/interference.ts";
import { bsonType } from "../bson/raw-document.ts";
import { decodeDocument } from "../bson/values.ts";
import { withLabels } from "./error-labels.ts";
import type { LabelContext } from "./error-labels.ts";
import { numberOf } from "../indexes/specification.ts";
import { timeLimitExceeded } from "./deadline.ts";
import { callOf, prepare, transactionOf } from "./prepare-call.ts";
import type { Prepared } from "./prepare-call.ts";

type Answer = (reply: Buffer) => void;

export type Respond = (reply: Buffer, inSession: boolean) => void;

export type Surroundings = {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly transactions: Transactions;
  readonly server: ServerFacts;
  readonly interferers: readonly Interferer[];
  readonly report: (error: unknown) => void;
};

/** Runs one message's command; its answer comes when what it wrote is on disk. */
export function execute(
  around: Surroundings,
  connection: ConnectionFacts,
  message: Message,
  respond: Respond,
): void {
  let prepared: Prepared;
  try {
    prepared = prepare(around, message);
  } catch (error) {
    respond(failure(around, error, undefined), false);
    return;
  }
  const arrivedAt = performance.now();
  const inSession = prepared.sessionId !== undefined;
  const answer: Answer = (reply) => respond(reply, inSession);
  for (const interfere of around.interferers) {
    const interference = interfere(prepared, connection);
    if (interference !== undefined) {
      runDisturbed(around, connection, prepared, interference, answer);
      return;
    }
  }
  if (prepared.unmetConcern !== undefined) {
    const unmet = { writeConcernError: prepared.unmetConcern };
    runDisturbed(around, connection, prepared, unmet, answer);
    return;
  }
  runPrepared(around, connection, prepared, arrivedAt, answer);
}

function runDisturbed(
  around: Surroundings,
  connection: ConnectionFacts,
  prepared: Prepared,
  interference: Interference,
  answer: Answer,
): void {
  const { delayMs, cut, error, writeConcernError } = interference;
  if (delayMs !== undefined) {
    const { delayMs: _, ...rest } = interference;
    setTimeout(() => runDisturbed(around, connection, prepared, rest, answer), delayMs);
  } else if (cut === "before") {
    connection.cut();
  } else if (error !== undefined) {
    if (prepared.inTransaction) abortTransactionOf(around, prepared);
    answer(
      interference.labelled === true
        ? encodeBody(errorReply(error))
        : failure(around, error, prepared),
    );
  } else {
    runPrepared(around, connection, prepared, performance.now(), (reply) => {
      if (cut === "after") connection.cut();
      else
        answer(
          writeConcernError === undefined ? reply : withConcernError(reply, interference, prepared),
        );
    });
  }
}

/** A command that fails in a transaction ends it, except for the one that is to commit it. */
function abortTransactionOf({ transactions }: Surroundings, prepared: Prepared): void {
  const { sessionId, body, command } = prepared;
  if (sessionId === undefined || command.endsTransaction === true) return;
  const number = body.bigint("txnNumber") ?? -1n;
  const transaction = transactions.find(sessionId.toString("latin1"), number);
  if (transaction?.state === "open") transactions.abort(transaction);
}

function withConcernError(
  reply: Buffer,
  { writeConcernError, errorLabels }: Interference,
  prepared: Prepared,
): Buffer {
  const code = numberOf(writeConcernError?.["code"]) ?? 0;
  const labels = errorLabels ?? withLabels(new MongoError(code, ""), labelContext(prepared)).labels;
  const decoded = decodeDocument(reply);
  // A command that failed says so instead.
  if (decoded["ok"] !== 1) return reply;
  return encodeBody({
    ...decoded,
    writeConcernError,
    ...(labels.length === 0 ? {} : { errorLabels: [...labels] }),
  });
}

function runPrepared(
  around: Surroundings,
  connection: ConnectionFacts,
  prepared: Prepared,
  arrivedAt: number,
  answer: Answer,
): void {
  const { store, transactions } = around;
  if (around.server.stopped) return;
  let reply: Buffer;
  try {
    reply = encoded(run(around, connection, prepared, arrivedAt));
  } catch (error) {
    if (error instanceof LockedByTransaction && transactions.mayWait(error.owner)) {
      const again = (): void => runPrepared(around, connection, prepared, arrivedAt, answer);
      const late = (): void => answer(failure(around, timeLimitExceeded(), prepared));
      const maxTimeMs = prepared.body.natural("maxTimeMS");
      transactions.whenEnded(error.owner, untilOr(maxTimeMs, arrivedAt, again, late));
      return;
    }
    reply = failure(around, error, prepared);
  }
  // What saw no data has nothing to wait for: a driver takes a server for gone whose hello is late.
  if (prepared.command.kind === "none" && prepared.command.endsTransaction !== true) {
    answer(reply);
    return;
  }
  const waiting = {
    committed: () => answer(reply),
    failed: (error: unknown) => answer(encodeBody(errorReply(commitFailed(error)))),
  };
  store.group.whenCommitted(waiting, onlyRead(prepared));
}

/** The one collection that the command has read, if that is all it did. */
function onlyRead(prepared: Prepared): string | undefined {
  const { command, inTransaction } = prepared;
  return command.kind === "read" && !inTransaction ? namespaceOf(prepared) : undefined;
}

/** Of a command that keeps to one collection. */
function namespaceOf({ command, body, db }: Prepared): string | undefined {
  const name = command.withinOne === true ? body.raw(command.name) : undefined;
  return name?.type === bsonType.string ? `${db}.${body.string(command.name)}` : undefined;
}

/** Calls `then` when it is called, unless the time is over before. */
function untilOr(
  maxTimeMs: number | undefined,
  from: number,
  then: () => void,
  late: () => void,
): () => void {
  if (maxTimeMs === undefined || maxTimeMs === 0) return then;
  let over = false;
  const timer = setTimeout(
    () => {
      over = true;
      late();
    },
    from + maxTimeMs - performance.now(),
  );
  return () => {
    clearTimeout(timer);
    if (!over) then();
  };
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
  const kind = typeof command.kind === "function" ? command.kind(prepared.body) : command.kind;
  if (kind !== "none") transactions.conceal();
  const call = callOf(around, connection, prepared, arrivedAt);
  call.deadline.check();
  if (kind !== "write") return command.run(call);
  store.group.join(connection.id, namespaceOf(prepared));
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
  const labelled = prepared === undefined ? known : withLabels(known, labelContext(prepared));
  return encodeBody(errorReply(labelled));
}

function labelContext({ command, body, inTransaction }: Prepared): LabelContext {
  return {
    retryableWrite: command.retryable === true && !inTransaction && body.has("txnNumber"),
    inTransaction,
    endsTransaction: command.endsTransaction === true,
  };
}

/** Nothing of the group was written, so that a client may try again. */
function commitFailed(error: unknown): MongoError {
  return new MongoError(
    "InterruptedDueToReplStateChange",
    `the write was undone: ${error instanceof Error ? error.message : String(error)}`,
    { errorLabels: ["RetryableWriteError"] },
  );
}
