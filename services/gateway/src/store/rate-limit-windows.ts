import { dayMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service } from "@malipo/platform";
import type { Ledger } from "../domain/rate-limit/lease.ts";

/** A ledger as it was read; the version says whether it still is. */
export interface VersionedLedger {
  readonly version: number;
  readonly ledger: Ledger;
}

interface LedgerDocument extends VersionedLedger {
  readonly _id: string;
  readonly expiresat: Date;
}

export interface Ledgers {
  read(credentialid: string): Promise<VersionedLedger>;
  /** The new version; undefined when somebody else has written since this one was read. */
  swap(id: string, read: VersionedLedger, next: Ledger): Promise<VersionedLedger | undefined>;
}

const emptyLedger: VersionedLedger = { version: 0, ledger: {} };

/** What all gateways together have taken of each credential's windows. */
export async function openLedgers(service: Service): Promise<Ledgers> {
  const { store, clock } = service;
  const collection = store.db.collection<LedgerDocument>("ratelimits");
  await ensureIndexes(service, collection, [{ key: { expiresat: 1 }, expireAfterSeconds: 0 }]);

  function refuseWhileAway() {
    if (store.isAway()) throw new Error("the store is away");
  }

  return {
    async read(id) {
      refuseWhileAway();
      return (await collection.findOne({ _id: id })) ?? emptyLedger;
    },

    async swap(id, read, ledger) {
      refuseWhileAway();
      const next = { version: read.version + 1, ledger };
      const expiresat = new Date(clock().getTime() + 2 * dayMs);
      try {
        const { matchedCount, upsertedCount } = await collection.updateOne(
          { _id: id, version: read.version },
          { $set: { ...next, expiresat } },
          { upsert: read.version === 0 },
        );
        return matchedCount + upsertedCount === 1 ? next : undefined;
      } catch (error) {
        // Two gateways opened the same credential's first ledger.
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },
  };
}
