import { addMs, minuteMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service } from "@malipo/platform";
import type { PhoneHash } from "./phone-hash.ts";

const holdMs = 3 * minuteMs;

interface Hold {
  /** The phone's hash. */
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

/**
 * One prompt at a time on a phone, whoever asks: a courtesy to its owner. Nothing rests on it, so a
 * hold that a crash left simply ends.
 */
export interface PhoneHolds {
  /** False while another holds it. Who holds it already goes on holding it. */
  hold(phone: string, holder: string): Promise<boolean>;
  release(phone: string, holder: string): Promise<void>;
}

export async function openPhoneHolds(
  service: Pick<Service, "store" | "clock" | "log" | "shutdown">,
  idOf: PhoneHash,
): Promise<PhoneHolds> {
  const { store, clock } = service;
  const collection = store.db.collection<Hold>("phoneholds");
  await ensureIndexes(service, collection, [{ key: { until: 1 }, expireAfterSeconds: 0 }]);

  return {
    async hold(phone, holder) {
      const now = clock();
      const free = { $or: [{ until: { $lte: now } }, { holder }] };
      try {
        await collection.updateOne(
          { _id: idOf(phone), ...free },
          { $set: { holder, until: addMs(now, holdMs) } },
          { upsert: true },
        );
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async release(phone, holder) {
      await collection.deleteOne({ _id: idOf(phone), holder });
    },
  };
}
