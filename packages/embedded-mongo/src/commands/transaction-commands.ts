import type { Buffer } from "node:buffer";
import { MongoError } from "../errors.ts";
import { transient } from "../transactions/transactions.ts";
import type { Call, Command } from "./command.ts";

function sessionOf(call: Call): { session: string; sessionId: Buffer; number: bigint } {
  const { session, sessionId, body } = call;
  const number = body.bigint("txnNumber");
  if (session === undefined || sessionId === undefined || number === undefined) {
    throw new MongoError("InvalidOptions", `${body.path} must be run within a transaction`);
  }
  return { session, sessionId, number };
}

export const commitTransaction: Command = {
  name: "commitTransaction",
  kind: "none",
  adminOnly: true,
  endsTransaction: true,
  fields: { commitTransaction: "any", recoveryToken: "object" },
  run(call) {
    const { transactions } = call;
    const { session, sessionId, number } = sessionOf(call);
    const transaction = transactions.find(session, number);
    if (transaction?.state === "open") {
      transactions.commit(transaction, sessionId);
      return { ok: 1 };
    }
    const committed =
      transaction?.state === "committed" || transactions.wasCommitted(sessionId, number);
    if (!committed) throw noSuchTransaction(number);
    return { ok: 1 };
  },
};

export const abortTransaction: Command = {
  name: "abortTransaction",
  kind: "none",
  adminOnly: true,
  endsTransaction: true,
  fields: { abortTransaction: "any", recoveryToken: "object" },
  run(call) {
    const { transactions } = call;
    const { session, sessionId, number } = sessionOf(call);
    const transaction = transactions.find(session, number);
    if (transaction?.state === "open") {
      transactions.abort(transaction);
      return { ok: 1 };
    }
    if (transaction?.state === "committed" || transactions.wasCommitted(sessionId, number)) {
      throw transactionCommitted(number);
    }
    throw noSuchTransaction(number);
  },
};

export function noSuchTransaction(number: bigint): MongoError {
  return new MongoError(
    "NoSuchTransaction",
    `Given transaction number ${number} does not match any in-progress transactions.`,
    transient,
  );
}

export function transactionCommitted(number: bigint): MongoError {
  return new MongoError("TransactionCommitted", `Transaction ${number} has been committed.`);
}

export const endSessions: Command = {
  name: "endSessions",
  kind: "none",
  fields: { endSessions: "array" },
  run(call) {
    const ended = new Set((call.body.value("endSessions") as unknown[]).map(sessionKey));
    for (const session of ended) if (session !== undefined) call.transactions.endSession(session);
    call.cursors.closeWhere(({ session }) => session !== undefined && ended.has(session));
    return { ok: 1 };
  },
};

function sessionKey(value: unknown): string | undefined {
  const id = (value as { id?: { buffer?: Uint8Array } } | null)?.id?.buffer;
  return id === undefined ? undefined : asLatin1(id);
}

function asLatin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

export const refreshSessions: Command = {
  name: "refreshSessions",
  kind: "none",
  fields: { refreshSessions: "array" },
  run: () => ({ ok: 1 }),
};
