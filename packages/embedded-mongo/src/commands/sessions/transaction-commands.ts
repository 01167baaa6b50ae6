import type { Buffer } from "node:buffer";
import { MongoError } from "../../errors.ts";
import { noSuchTransaction, transactionCommitted } from "../../transactions/transaction-errors.ts";
import type { Call, Command } from "../command.ts";

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
