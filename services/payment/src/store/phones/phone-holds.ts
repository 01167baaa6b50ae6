import { addMs, minuteMs } from "@malipo/core";
import { duplicatesOf, ensureIndexes, type Service, batchCommands } from "@malipo/platform";
import type { PhoneHash } from "./phone-hash.ts";

const holdMs = 3 * minuteMs;
const batchMax = 100;

interface PhoneHold {
  /** The phone's hash. */
  readonly _id: string;
  readonly holder: string;
  readonly until: Date;
}

/**
 * A phone receives one prompt at a time: the holder's. This spares the phone's owner several prompts at
 * once. No guarantee depends on it, so a hold that a crash leaves behind simply expires.
 */
export interface PhoneHolds {
  /** False while another holder has the phone. The same holder extends its hold. */
  hold(phone: string, holder: string): Promise<boolean>;
  release(phone: string, holder: string): Promise<void>;
}

export async function openPhoneHolds(
  service: Pick<Service, "store" | "clock" | "log" | "shutdown">,
  idOf: PhoneHash,
): Promise<PhoneHolds> {
  const { store, clock } = service;
  const collection = store.db.collection<PhoneHold>("phoneholds");
  await ensureIndexes(service, collection, [{ key: { until: 1 }, expireAfterSeconds: 0 }]);

  type HoldRequest = Omit<PhoneHold, "until">;
  const hold = batchCommands<HoldRequest, boolean>(batchMax, async (requests) => {
    const now = clock();
    const until = addMs(now, holdMs);
    const writes = requests.map(({ _id, holder }) => ({
      updateOne: {
        filter: { _id, $or: [{ until: { $lte: now } }, { holder }] },
        update: { $set: { holder, until } },
        upsert: true,
      },
    }));
    // While another holder has the phone, the filter matches nothing and the upsert is a duplicate.
    const refused = await duplicatesOf(() => collection.bulkWrite(writes, { ordered: false }));
    return requests.map((_, index) => !refused.has(index));
  });
  const release = batchCommands<HoldRequest, void>(batchMax, async (requests) => {
    const writes = requests.map((filter) => ({ deleteOne: { filter } }));
    await collection.bulkWrite(writes, { ordered: false });
    return requests.map(() => undefined);
  });

  return {
    hold: async (phone, holder) => hold({ _id: idOf(phone), holder }),
    release: async (phone, holder) => release({ _id: idOf(phone), holder }),
  };
}
