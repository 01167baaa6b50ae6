import { addMs, dayMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service } from "@malipo/platform";
import type { PhoneHash } from "./phone-hash.ts";
import { freeFrom, recent, type TakenPrompts } from "../../domain/prompt/prompt-allowance.ts";

const triesMax = 20;

interface TakenDocument {
  /** The phone's hash. */
  readonly _id: string;
  readonly version: number;
  readonly taken: TakenPrompts;
  readonly until: Date;
}

/** How often pages may prompt a phone, over all links. */
export interface PromptAllowances {
  /** Null, or from when on there is one. The same attempt takes one, however often it asks. */
  take(phone: string, attempt: string): Promise<Date | null>;
  /** It was not prompted after all. */
  giveBack(phone: string, attempt: string): Promise<void>;
}

export async function openPromptAllowances(
  service: Pick<Service, "store" | "clock" | "log" | "shutdown">,
  idOf: PhoneHash,
): Promise<PromptAllowances> {
  const { store, clock } = service;
  const collection = store.db.collection<TakenDocument>("promptallowances");
  await ensureIndexes(service, collection, [{ key: { until: 1 }, expireAfterSeconds: 0 }]);

  /** The write fits only what was read. */
  async function write(_id: string, before: TakenDocument | null, taken: TakenPrompts) {
    const fields = { version: (before?.version ?? 0) + 1, taken, until: addMs(clock(), dayMs) };
    if (!before) {
      await collection.insertOne({ _id, ...fields });
      return true;
    }
    const { version } = before;
    const { matchedCount } = await collection.updateOne({ _id, version }, { $set: fields });
    return matchedCount === 1;
  }

  return {
    async take(phone, attempt) {
      const _id = idOf(phone);
      for (let tries = 0; tries < triesMax; tries += 1) {
        const now = clock();
        const found = await collection.findOne({ _id });
        const taken = recent(found?.taken ?? [], now);
        if (taken.some((each) => each.attempt === attempt)) return null;
        const from = freeFrom(taken, now);
        if (from) return from;
        try {
          if (await write(_id, found, [...taken, { attempt, at: now }])) return null;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
      }
      throw new Error("too many pages ask for one phone at once");
    },
    async giveBack(phone, attempt) {
      await collection.updateOne(
        { _id: idOf(phone) },
        { $pull: { taken: { attempt } }, $inc: { version: 1 } },
      );
    },
  };
}
