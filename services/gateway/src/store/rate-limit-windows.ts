import { addMs, dayMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service } from "@malipo/platform";
import type { SharedWindows } from "../domain/rate-limit/lease.ts";

/** Longer than the longest window. */
const lifetimeMs = 2 * dayMs;

/** The windows as read. A write succeeds only while the stored version is still this one. */
export interface VersionedWindows {
  readonly version: number;
  readonly windows: SharedWindows;
}

interface WindowsDocument {
  readonly _id: string;
  readonly version: number;
  /** The stored name of `windows`. */
  readonly ledger: SharedWindows;
  readonly expiresat: Date;
}

export interface WindowStore {
  read(credentialid: string): Promise<VersionedWindows>;
  /** The stored version; undefined when another gateway has written since `read`. */
  replace(
    credentialid: string,
    read: VersionedWindows,
    next: SharedWindows,
  ): Promise<VersionedWindows | undefined>;
}

/** One document for each credential: the requests that all gateways together have leased. */
export async function openWindowStore(service: Service): Promise<WindowStore> {
  const { store, clock } = service;
  const collection = store.db.collection<WindowsDocument>("ratelimits");
  await ensureIndexes(service, collection, [{ key: { expiresat: 1 }, expireAfterSeconds: 0 }]);

  function throwIfAway() {
    if (store.isAway()) throw new Error("the store is away");
  }

  return {
    async read(credentialid) {
      throwIfAway();
      const found = await collection.findOne({ _id: credentialid });
      return { version: found?.version ?? 0, windows: found?.ledger ?? {} };
    },

    async replace(credentialid, read, windows) {
      throwIfAway();
      const version = read.version + 1;
      try {
        const { matchedCount, upsertedCount } = await collection.updateOne(
          { _id: credentialid, version: read.version },
          { $set: { version, ledger: windows, expiresat: addMs(clock(), lifetimeMs) } },
          { upsert: read.version === 0 },
        );
        return matchedCount + upsertedCount === 1 ? { version, windows } : undefined;
      } catch (error) {
        // Two gateways inserted the first document of the same credential.
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },
  };
}
