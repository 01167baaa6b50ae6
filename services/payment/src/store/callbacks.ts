import type { CallbackMessage } from "@malipo/contracts";
import { addMs, dayMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service } from "@malipo/platform";
import { Binary, MongoBulkWriteError } from "mongodb";

const retentionMs = 400 * dayMs;

interface RawCallback {
  readonly _id: string;
  readonly transactionid: string;
  readonly address: string;
  readonly at: Date;
  readonly expiresat: Date;
  readonly body: Binary;
}

/** The provider's callbacks exactly as they came, for 400 days. */
export interface Callbacks {
  insert(messages: readonly CallbackMessage[]): Promise<void>;
}

export async function openCallbacks(service: Service): Promise<Callbacks> {
  const collection = service.store.db.collection<RawCallback>("callbacks");
  await ensureIndexes(service, collection, [
    { key: { expiresat: 1 }, expireAfterSeconds: 0 },
    { key: { transactionid: 1 } },
  ]);
  return {
    async insert(messages) {
      try {
        await collection.insertMany(messages.map(rawOf), { ordered: false });
      } catch (error) {
        // A message that is delivered again is stored already.
        if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
      }
    },
  };
}

function rawOf({ id, transactionid, address, at, body }: CallbackMessage): RawCallback {
  return {
    _id: id,
    transactionid,
    address,
    at: new Date(at),
    expiresat: addMs(new Date(at), retentionMs),
    body: new Binary(Buffer.from(body, "base64")),
  };
}
