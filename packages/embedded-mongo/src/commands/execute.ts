import { Buffer } from "node:buffer";
import { sliceOf } from "../bson/raw-document.ts";
import { MongoError } from "../errors.ts";
import type { Cursors } from "../cursors.ts";
import type { Store } from "../storage/store.ts";
import { commandName, encodeBody, errorReply, validateMessage } from "../wire/message.ts";
import type { Message } from "../wire/message.ts";
import { CommandBody } from "./command-body.ts";
import type { Call, Command, ConnectionFacts, Reply, ServerFacts } from "./command.ts";
import { deadlineAfter } from "./deadline.ts";
import { checkGenericOptions, genericFields } from "./generic-fields.ts";
import { RetryableWrite } from "./retryable-write.ts";
import { commands } from "./table.ts";

export type Answer = (reply: Buffer) => void;

export type Surroundings = {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly server: ServerFacts;
  readonly report: (error: unknown) => void;
};

/** Runs one message's command; its answer comes when what it wrote is on disk. */
export function execute(
  around: Surroundings,
  connection: ConnectionFacts,
  message: Message,
  answer: Answer,
): void {
  const { group } = around.store;
  let reply: Buffer;
  try {
    reply = encoded(run(around, connection, message));
  } catch (error) {
    if (!(error instanceof MongoError)) {
      around.report(error);
      group.abandon(error);
    }
    reply = encodeBody(errorReply(asMongoError(error)));
  }
  group.whenCommitted({
    committed: () => answer(reply),
    failed: (error) => answer(encodeBody(errorReply(commitFailed(error)))),
  });
}

function encoded(reply: Reply): Buffer {
  return Buffer.isBuffer(reply) ? reply : encodeBody(reply);
}

function asMongoError(error: unknown): MongoError {
  if (error instanceof MongoError) return error;
  return new MongoError("InternalError", error instanceof Error ? error.message : String(error));
}

/** Nothing of the group was written, so that a client may try again. */
function commitFailed(error: unknown): MongoError {
  return new MongoError(
    "InterruptedDueToReplStateChange",
    `the write was undone: ${error instanceof Error ? error.message : String(error)}`,
    { errorLabels: ["RetryableWriteError"] },
  );
}

function run(around: Surroundings, connection: ConnectionFacts, message: Message): Reply {
  validateMessage(message);
  const name = commandName(message.body);
  const command = commands.get(name);
  if (command === undefined) throw new MongoError("CommandNotFound", `no such command: '${name}'`);
  const body = new CommandBody(name, message.body, message.sequences);
  body.check(command.fields, genericFields);
  const db = message.namespace?.slice(0, -".$cmd".length) ?? body.string("$db") ?? "";
  if (db === "") throw new MongoError(40571, "OP_MSG requests require a $db argument");
  if (command.adminOnly === true && db !== "admin") {
    throw new MongoError("Unauthorized", `${name} may only be run against the admin database.`);
  }
  checkGenericOptions(body, false);
  const sessionId = sessionOf(body);
  const { store, cursors, server } = around;
  server.counters.set(command.name, (server.counters.get(command.name) ?? 0) + 1);
  const retryable = retryableOf(command, body, store, sessionId);
  const call: Call = {
    store,
    cursors,
    server,
    connection,
    db,
    body,
    sessionId,
    session: sessionId?.toString("latin1"),
    transaction: undefined,
    retryable,
    deadline: deadlineAfter(body.natural("maxTimeMS")),
    now: new Date(),
  };
  if (command.kind === "write") store.group.join();
  const reply = command.run(call);
  retryable?.save(store.sessions);
  return reply;
}

/** The identifier inside `lsid`. */
function sessionOf(body: CommandBody): Buffer | undefined {
  const lsid = body.raw("lsid");
  if (lsid === undefined) return undefined;
  const id = new CommandBody("lsid", sliceOf(lsid));
  id.check({ id: "binData", uid: "binData" });
  const raw = id.raw("id");
  if (raw === undefined)
    throw new MongoError(40414, "BSON field 'lsid.id' is missing but a required field");
  return raw.bytes.subarray(raw.start + 5, raw.end);
}

function retryableOf(
  command: Command,
  body: CommandBody,
  store: Store,
  sessionId: Buffer | undefined,
): RetryableWrite | undefined {
  const number = body.bigint("txnNumber");
  if (number === undefined) return undefined;
  if (sessionId === undefined) {
    throw new MongoError(
      "InvalidOptions",
      "Transaction number requires a session ID to also be specified",
    );
  }
  if (command.retryable !== true) {
    throw new MongoError(
      50768,
      `txnNumber may only be provided for multi-document transactions and retryable write commands. autocommit:false was not provided, and ${command.name} is not a retryable write command.`,
    );
  }
  return new RetryableWrite(store.sessions, sessionId, number);
}
