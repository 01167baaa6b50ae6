import type { Buffer } from "node:buffer";
import { sliceOf } from "../bson/raw-document.ts";
import { MongoError } from "../errors.ts";
import { commandName, validateMessage } from "../wire/message.ts";
import type { Document } from "../document-codec.ts";
import type { Message } from "../wire/message.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { CommandBody, requireField } from "./command-body.ts";
import type { Call, Command, ConnectionInfo } from "./command.ts";
import { deadlineAfter } from "../deadline.ts";
import type { ServerContext } from "./server-context.ts";
import { checkGenericOptions, genericFields, unmetWriteConcern } from "./generic-fields.ts";
import { RetryableWrite } from "./write/retryable-write.ts";
import { commands } from "./command-table.ts";
import { noSuchTransaction, transactionCommitted } from "../transactions/transaction-errors.ts";

export type PreparedCommand = {
  readonly command: Command;
  readonly body: CommandBody;
  readonly db: string;
  readonly sessionId: Buffer | undefined;
  readonly inTransaction: boolean;
  /** The `writeConcernError` of the reply, if one member cannot meet the write concern. */
  readonly unmetConcern: Document | undefined;
};

/** Parses the command and makes all checks that do not need the store. */
export function prepareCommand(
  context: ServerContext,
  connection: ConnectionInfo,
  message: Message,
): PreparedCommand {
  validateMessage(message);
  const name = commandName(message.body);
  const command = commands.get(name);
  if (
    command === undefined ||
    (command.testOnly === true && context.server.failPoints === undefined)
  ) {
    throw new MongoError("CommandNotFound", `no such command: '${name}'`);
  }
  if (!connection.authentication.isAllowed && command.beforeAuthentication !== true) {
    throw new MongoError("Unauthorized", `Command ${name} requires authentication`);
  }
  const body = new CommandBody(name, message.body, message.sequences);
  body.check(command.fields, genericFields);
  const db = message.namespace?.slice(0, -".$cmd".length) ?? body.string("$db") ?? "";
  if (db === "") throw new MongoError(40571, "OP_MSG requests require a $db argument");
  if (command.adminOnly === true && db !== "admin") {
    throw new MongoError("Unauthorized", `${name} may only be run against the admin database.`);
  }
  const inTransaction = isInTransaction(command, body);
  checkGenericOptions(body, inTransaction);
  const unmetConcern = body.has("writeConcern") ? unmetWriteConcern(body) : undefined;
  return { command, body, db, sessionId: sessionOf(body), inTransaction, unmetConcern };
}

function isInTransaction(command: Command, body: CommandBody): boolean {
  if (!body.has("autocommit")) {
    if (body.has("startTransaction")) {
      throw new MongoError(
        "InvalidOptions",
        "Specifying startTransaction requires autocommit to be specified",
      );
    }
    return false;
  }
  if (body.bool("autocommit")) {
    throw new MongoError("InvalidOptions", "Specifying autocommit=true is not allowed.");
  }
  if (!body.has("txnNumber")) {
    throw new MongoError(
      "InvalidOptions",
      "'autocommit' field requires a transaction number to also be specified",
    );
  }
  if (command.allowedInTransactions !== true && command.endsTransaction !== true) {
    throw new MongoError(
      "OperationNotSupportedInTransaction",
      `Cannot run '${command.name}' in a multi-document transaction.`,
    );
  }
  if (body.has("writeConcern") && command.endsTransaction !== true) {
    throw new MongoError(
      "InvalidOptions",
      "writeConcern is not allowed within a multi-statement transaction",
    );
  }
  if (body.has("readConcern") && !body.has("startTransaction")) {
    throw new MongoError(
      "InvalidOptions",
      "Only the first command in a transaction may specify a readConcern",
    );
  }
  return true;
}

/** The identifier inside `lsid`. */
function sessionOf(body: CommandBody): Buffer | undefined {
  const lsid = body.raw("lsid");
  if (lsid === undefined) {
    if (!body.has("txnNumber")) return undefined;
    throw new MongoError(
      "InvalidOptions",
      "Transaction number requires a session ID to also be specified",
    );
  }
  const id = new CommandBody("lsid", sliceOf(lsid));
  id.check({ id: "binData", uid: "binData" });
  return requireField(id.binary("id"), "lsid", "id");
}

/** The transaction of the command. The first command of a transaction begins it. */
export function joinTransaction(
  context: ServerContext,
  prepared: PreparedCommand,
): Transaction | undefined {
  const { body, command, sessionId, inTransaction } = prepared;
  if (!inTransaction || command.endsTransaction === true || sessionId === undefined)
    return undefined;
  const session = sessionId.toString("latin1");
  const number = body.bigint("txnNumber") ?? -1n;
  const { transactions } = context;
  if (body.bool("startTransaction")) return transactions.begin(session, sessionId, number);
  const known = transactions.find(session, number);
  if (known?.state === "committed" || transactions.wasCommitted(sessionId, number)) {
    throw transactionCommitted(number);
  }
  if (known?.state !== "open") throw noSuchTransaction(number);
  return known;
}

export function createCall(
  context: ServerContext,
  connection: ConnectionInfo,
  prepared: PreparedCommand,
  arrivedAt: number,
): Call {
  const { command, body, db, sessionId, inTransaction } = prepared;
  const { store, cursors, server, transactions } = context;
  return {
    store,
    cursors,
    transactions,
    server,
    connection,
    db,
    body,
    sessionId,
    session: sessionId?.toString("latin1"),
    transaction: inTransaction ? body.bigint("txnNumber") : undefined,
    retryable: inTransaction ? undefined : retryableOf(command, body, store, sessionId),
    deadline: deadlineAfter(body.natural("maxTimeMS"), arrivedAt),
    now: new Date(),
  };
}

function retryableOf(
  command: Command,
  body: CommandBody,
  store: Call["store"],
  sessionId: Buffer | undefined,
): RetryableWrite | undefined {
  const number = body.bigint("txnNumber");
  if (number === undefined || sessionId === undefined) return undefined;
  if (command.retryable !== true) {
    throw new MongoError(
      50768,
      `txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and ${command.name} is not a retryable write command.`,
    );
  }
  return new RetryableWrite(store.sessions, sessionId, number);
}
