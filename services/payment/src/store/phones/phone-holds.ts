import { addMs, minuteMs } from "@malipo/core";
import { duplicatesOf, ensureIndexes, type Service, together } from "@malipo/platform";
import type { PhoneHash } from "./phone-hash.ts";

const holdMs = 3 * minuteMs;
const groupMax = 100;

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

  type Wish = Omit<Hold, "until">;
  const hold = together<Wish, boolean>(groupMax, async (wishes) => {
    const now = clock();
    const until = addMs(now, holdMs);
    const writes = wishes.map(({ _id, holder }) => ({
      updateOne: {
        filter: { _id, $or: [{ until: { $lte: now } }, { holder }] },
        update: { $set: { holder, until } },
        upsert: true,
      },
    }));
    // Where another holds it, the filter finds nothing and the insert meets that other.
    const taken = await duplicatesOf(() => collection.bulkWrite(writes, { ordered: false }));
    return wishes.map((_, index) => !taken.has(index));
  });
  const release = together<Wish, void>(groupMax, async (wishes) => {
    const writes = wishes.map((filter) => ({ deleteOne: { filter } }));
    await collection.bulkWrite(writes, { ordered: false });
    return [];
  });

  return {
    hold: async (phone, holder) => hold({ _id: idOf(phone), holder }),
    release: async (phone, holder) => release({ _id: idOf(phone), holder }),
  };
}
