import { Buffer } from "node:buffer";
import { bsonType } from "../bson/raw-document.ts";
import { numberOf } from "../bson/number-of.ts";
import { timeLimitExceeded } from "../deadline.ts";
import { decodeDocument } from "../document-codec.ts";
import { MongoError } from "../errors.ts";
import type { InjectedFault } from "../faults/injected-fault.ts";
import type { Store } from "../storage/store.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { LockedByTransaction, writeConflict } from "../transactions/transaction-errors.ts";
import { encodeBody, errorDocument } from "../wire/message.ts";
import type { Message } from "../wire/message.ts";
import type { ConnectionInfo, Reply } from "./command.ts";
import { addErrorLabels } from "./error-labels.ts";
import type { LabelContext } from "./error-labels.ts";
import { createCall, joinTransaction, prepareCommand } from "./prepare-call.ts";
import type { PreparedCommand } from "./prepare-call.ts";
import type { ServerContext } from "./server-context.ts";

type SendReply = (reply: Buffer) => void;

export type Respond = (reply: Buffer, inSession: boolean) => void;

/** Runs the command of one message. The reply is sent when the command's writes are on disk. */
export function execute(
  context: ServerContext,
  connection: ConnectionInfo,
  message: Message,
  respond: Respond,
): void {
  let prepared: PreparedCommand;
  try {
    prepared = prepareCommand(context, connection, message);
  } catch (error) {
    respond(errorReply(context, error, undefined), false);
    return;
  }
  const arrivedAt = performance.now();
  const inSession = prepared.sessionId !== undefined;
  const sendReply: SendReply = (reply) => respond(reply, inSession);
  for (const inject of context.faultInjectors) {
    const fault = inject(prepared, connection);
    if (fault !== undefined) {
      runWithFault(context, connection, prepared, fault, sendReply);
      return;
    }
  }
  if (prepared.unmetConcern !== undefined) {
    const unmet = { writeConcernError: prepared.unmetConcern };
    runWithFault(context, connection, prepared, unmet, sendReply);
    return;
  }
  runPrepared(context, connection, prepared, arrivedAt, sendReply);
}

function runWithFault(
  context: ServerContext,
  connection: ConnectionInfo,
  prepared: PreparedCommand,
  fault: InjectedFault,
  sendReply: SendReply,
): void {
  const { delayMs, closeConnection, error, writeConcernError } = fault;
  if (delayMs !== undefined) {
    const { delayMs: _, ...rest } = fault;
    setTimeout(() => runWithFault(context, connection, prepared, rest, sendReply), delayMs);
  } else if (closeConnection === "before") {
    connection.close();
  } else if (error !== undefined) {
    if (prepared.inTransaction) abortTransactionOf(context, prepared);
    sendReply(
      fault.hasFinalLabels === true
        ? encodeBody(errorDocument(error))
        : errorReply(context, error, prepared),
    );
  } else {
    runPrepared(context, connection, prepared, performance.now(), (reply) => {
      if (closeConnection === "after") connection.close();
      else
        sendReply(
          writeConcernError === undefined ? reply : addConcernError(reply, fault, prepared),
        );
    });
  }
}

/** A command that fails in a transaction aborts it, unless it commits or aborts the transaction. */
function abortTransactionOf({ transactions }: ServerContext, prepared: PreparedCommand): void {
  const { sessionId, body, command } = prepared;
  if (sessionId === undefined || command.endsTransaction === true) return;
  const number = body.bigint("txnNumber") ?? -1n;
  const transaction = transactions.find(sessionId.toString("latin1"), number);
  if (transaction?.state === "open") transactions.abort(transaction);
}

function addConcernError(
  reply: Buffer,
  { writeConcernError, errorLabels }: InjectedFault,
  prepared: PreparedCommand,
): Buffer {
  const code = numberOf(writeConcernError?.["code"]) ?? 0;
  const labels =
    errorLabels ?? addErrorLabels(new MongoError(code, ""), labelContext(prepared)).labels;
  const decoded = decodeDocument(reply);
  // The reply of a failed command reports that failure only.
  if (decoded["ok"] !== 1) return reply;
  return encodeBody({
    ...decoded,
    writeConcernError,
    ...(labels.length === 0 ? {} : { errorLabels: [...labels] }),
  });
}

function runPrepared(
  context: ServerContext,
  connection: ConnectionInfo,
  prepared: PreparedCommand,
  arrivedAt: number,
  sendReply: SendReply,
): void {
  const { store, transactions } = context;
  if (context.server.isStopped) return;
  let reply: Buffer;
  try {
    reply = encodeReply(run(context, connection, prepared, arrivedAt));
  } catch (error) {
    if (error instanceof LockedByTransaction && transactions.canWait(error.owner)) {
      const retry = (): void => runPrepared(context, connection, prepared, arrivedAt, sendReply);
      const timeOut = (): void => sendReply(errorReply(context, timeLimitExceeded(), prepared));
      const maxTimeMs = prepared.body.natural("maxTimeMS");
      transactions.runWhenEnded(error.owner, unlessTimedOut(maxTimeMs, arrivedAt, retry, timeOut));
      return;
    }
    reply = errorReply(context, error, prepared);
  }
  // A command that saw no data need not wait for the disk. A late reply to hello would make the
  // driver believe that the server is gone.
  if (prepared.command.kind === "none" && prepared.command.endsTransaction !== true) {
    sendReply(reply);
    return;
  }
  const waiter = {
    onDurable: () => sendReply(reply),
    onFailed: (error: unknown) => sendReply(encodeBody(errorDocument(commitFailed(error)))),
  };
  store.group.whenDurable(waiter, onlyNamespaceRead(prepared));
}

/** The collection that the command read, if it read only that collection and wrote nothing. */
function onlyNamespaceRead(prepared: PreparedCommand): string | undefined {
  const { command, inTransaction } = prepared;
  return command.kind === "read" && !inTransaction ? onlyNamespaceOf(prepared) : undefined;
}

/** The collection of a command that uses only one. */
function onlyNamespaceOf({ command, body, db }: PreparedCommand): string | undefined {
  const name = command.usesOneCollection === true ? body.raw(command.name) : undefined;
  return name?.type === bsonType.string ? `${db}.${body.string(command.name)}` : undefined;
}

/** Wraps `run` so that it does nothing after `maxTimeMs`; then `timeOut` is called instead. */
function unlessTimedOut(
  maxTimeMs: number | undefined,
  from: number,
  run: () => void,
  timeOut: () => void,
): () => void {
  if (maxTimeMs === undefined || maxTimeMs === 0) return run;
  let hasTimedOut = false;
  const timer = setTimeout(
    () => {
      hasTimedOut = true;
      timeOut();
    },
    from + maxTimeMs - performance.now(),
  );
  return () => {
    clearTimeout(timer);
    if (!hasTimedOut) run();
  };
}

function run(
  context: ServerContext,
  connection: ConnectionInfo,
  prepared: PreparedCommand,
  arrivedAt: number,
): Reply {
  const { command } = prepared;
  const { counters } = context.server;
  counters.set(command.name, (counters.get(command.name) ?? 0) + 1);
  const { store, transactions } = context;
  const transaction = joinTransaction(context, prepared);
  if (transaction !== undefined) {
    return runInTransaction(context, connection, prepared, transaction, arrivedAt);
  }
  const kind = typeof command.kind === "function" ? command.kind(prepared.body) : command.kind;
  if (kind !== "none") transactions.removeOverlay();
  const call = createCall(context, connection, prepared, arrivedAt);
  call.deadline.check();
  if (kind !== "write") return command.run(call);
  store.group.join(connection.id, onlyNamespaceOf(prepared));
  if (transactions.hasOpen)
    return runBesideTransactions(context, () => command.run(call), call.retryable);
  const reply = command.run(call);
  call.retryable?.save(store.sessions);
  return reply;
}

/**
 * While transactions are open, a write can meet a lock half way through. All of it is undone then.
 */
function runBesideTransactions(
  { store, transactions }: ServerContext,
  statement: () => Reply,
  retryable: { save(records: Store["sessions"]): void } | undefined,
): Reply {
  const position = transactions.logPosition;
  let reply: Reply = {};
  try {
    store.runAtomically(() => {
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
  context: ServerContext,
  connection: ConnectionInfo,
  prepared: PreparedCommand,
  transaction: Transaction,
  arrivedAt: number,
): Reply {
  const { transactions } = context;
  const reply = transactions.run(transaction, () =>
    prepared.command.run(createCall(context, connection, prepared, arrivedAt)),
  );
  // A failed statement aborts its transaction, also if the failure is only in `writeErrors`.
  if (!Buffer.isBuffer(reply) && reply["writeErrors"] !== undefined)
    transactions.abort(transaction);
  return reply;
}

function encodeReply(reply: Reply): Buffer {
  return Buffer.isBuffer(reply) ? reply : encodeBody(reply);
}

function errorReply(
  context: ServerContext,
  error: unknown,
  prepared: PreparedCommand | undefined,
): Buffer {
  const { group } = context.store;
  let known: MongoError;
  if (error instanceof MongoError) {
    known = error;
  } else if (error instanceof LockedByTransaction) {
    known = writeConflict();
  } else {
    context.reportError(error);
    group.rollBack(error);
    known = new MongoError("InternalError", error instanceof Error ? error.message : String(error));
  }
  const labelled = prepared === undefined ? known : addErrorLabels(known, labelContext(prepared));
  return encodeBody(errorDocument(labelled));
}

function labelContext({ command, body, inTransaction }: PreparedCommand): LabelContext {
  return {
    retryableWrite: command.retryable === true && !inTransaction && body.has("txnNumber"),
    inTransaction,
    endsTransaction: command.endsTransaction === true,
  };
}

/** The error for a group that was rolled back. Nothing was written, so the client may retry. */
function commitFailed(error: unknown): MongoError {
  return new MongoError(
    "InterruptedDueToReplStateChange",
    `the write was undone: ${error instanceof Error ? error.message : String(error)}`,
    { errorLabels: ["RetryableWriteError"] },
  );
}
