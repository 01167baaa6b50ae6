import { addMs, dayMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service } from "@malipo/platform";
import {
  allowedFrom,
  recentPrompts,
  type TakenPrompts,
} from "../../domain/prompt/prompt-allowance.ts";
import type { PhoneHash } from "./phone-hash.ts";

const attemptsMax = 20;

interface AllowanceDocument {
  /** The phone's hash. */
  readonly _id: string;
  readonly version: number;
  readonly taken: TakenPrompts;
  readonly until: Date;
}

/** How many prompts the pay pages may send to a phone, counted over all links. */
export interface PromptAllowances {
  /** Null when the prompt is allowed, else when the next one is. A repeated attempt counts once. */
  take(phone: string, attempt: string): Promise<Date | null>;
  /** The attempt sent no prompt after all. */
  giveBack(phone: string, attempt: string): Promise<void>;
}

export async function openPromptAllowances(
  service: Pick<Service, "store" | "clock" | "log" | "shutdown">,
  idOf: PhoneHash,
): Promise<PromptAllowances> {
  const { store, clock } = service;
  const collection = store.db.collection<AllowanceDocument>("promptallowances");
  await ensureIndexes(service, collection, [{ key: { until: 1 }, expireAfterSeconds: 0 }]);

  /** Writes only over the version that was read. */
  async function write(_id: string, before: AllowanceDocument | null, taken: TakenPrompts) {
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
      for (let tries = 0; tries < attemptsMax; tries += 1) {
        const now = clock();
        const found = await collection.findOne({ _id });
        const taken = recentPrompts(found?.taken ?? [], now);
        if (taken.some((each) => each.attempt === attempt)) return null;
        const from = allowedFrom(taken, now);
        if (from) return from;
        try {
          if (await write(_id, found, [...taken, { attempt, at: now }])) return null;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
      }
      throw new Error(`prompt allowances of one phone conflicted ${attemptsMax} times`);
    },
    async giveBack(phone, attempt) {
      await collection.updateOne(
        { _id: idOf(phone) },
        { $pull: { taken: { attempt } }, $inc: { version: 1 } },
      );
    },
  };
}
