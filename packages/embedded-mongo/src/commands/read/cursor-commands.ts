import { Long } from "bson";
import { MongoError } from "../../errors.ts";
import { numberOf } from "../../bson/number-of.ts";
import type { Call, Command } from "../command.ts";
import { requireField } from "../command-body.ts";
import { replyNextBatch } from "./cursor-reply.ts";

export const getMore: Command = {
  name: "getMore",
  kind: "read",
  allowedInTransactions: true,
  fields: { getMore: "number", collection: "string", batchSize: "number" },
  run(call) {
    const { body, cursors } = call;
    const id = requireField(body.bigint("getMore"), "getMore", "getMore");
    const name = requireField(body.string("collection"), "getMore", "collection");
    const cursor = cursors.find(id, `${call.db}.${name}`);
    checkSession(call, cursor);
    const batchSize = body.natural("batchSize") ?? 0;
    return replyNextBatch(call, cursor, batchSize === 0 ? Number.POSITIVE_INFINITY : batchSize);
  },
};

function checkSession(
  call: Call,
  cursor: { id: bigint; session: string | undefined; transaction: bigint | undefined },
): void {
  if (cursor.session !== call.session) {
    throw new MongoError(
      50738,
      `Cannot run getMore on cursor ${cursor.id}, which was created in another session`,
    );
  }
  if (cursor.transaction !== call.transaction) {
    throw new MongoError(
      50741,
      `Cannot run getMore on cursor ${cursor.id}, which was created in another transaction`,
    );
  }
}

export const killCursors: Command = {
  name: "killCursors",
  kind: "read",
  allowedInTransactions: true,
  fields: { killCursors: "string", cursors: "array" },
  run(call) {
    const ids = requireField(call.body.value("cursors"), "killCursors", "cursors") as unknown[];
    const killed: Long[] = [];
    const unknown: Long[] = [];
    for (const value of ids) {
      const id = typeof value === "bigint" ? value : BigInt(numberOf(value) ?? 0);
      (call.cursors.close(id) ? killed : unknown).push(Long.fromBigInt(id));
    }
    return {
      cursorsKilled: killed,
      cursorsNotFound: unknown,
      cursorsAlive: [],
      cursorsUnknown: [],
      ok: 1,
    };
  },
};
