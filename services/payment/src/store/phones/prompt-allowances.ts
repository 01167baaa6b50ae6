import { addMs, dayMs } from "@malipo/core";
import { ensureIndexes, type Service, updateRecord } from "@malipo/platform";
import {
  allowedFrom,
  type PromptAllowance,
  recentPrompts,
  type TakenPrompts,
} from "../../domain/prompt/prompt-allowance.ts";
import { writeVersion } from "../write-version.ts";
import type { KeyedHash } from "./keyed-hash.ts";

interface AllowanceDocument {
  /** The hash of the allowance's name. */
  readonly _id: string;
  readonly version: number;
  readonly taken: TakenPrompts;
  readonly until: Date;
}

type StoredAllowance = Pick<AllowanceDocument, "version" | "taken">;

/** How many prompts the pay pages may send. */
export interface PromptAllowances {
  /** Null when the prompt is allowed, else when the next one is. A repeated attempt counts once. */
  take(allowance: PromptAllowance, attempt: string): Promise<Date | null>;
  /** The attempt does not count: it sent no prompt, or its payer has answered. */
  giveBack(allowances: readonly PromptAllowance[], attempt: string): Promise<void>;
}

export async function openPromptAllowances(
  service: Pick<Service, "store" | "clock" | "log" | "shutdown">,
  idOf: KeyedHash,
): Promise<PromptAllowances> {
  const { store, clock } = service;
  const collection = store.db.collection<AllowanceDocument>("promptallowances");
  await ensureIndexes(service, collection, [{ key: { until: 1 }, expireAfterSeconds: 0 }]);

  return {
    async take({ name, windows }, attempt) {
      const _id = idOf(name);
      let from: Date | null = null;
      await updateRecord<StoredAllowance, TakenPrompts>({
        find: async () => (await collection.findOne({ _id })) ?? { version: 0, taken: [] },
        decide: (found) => {
          const now = clock();
          const taken = recentPrompts(found.taken, now);
          const isTaken = taken.some((each) => each.attempt === attempt);
          from = isTaken ? null : allowedFrom(taken, windows, now);
          return isTaken || from ? null : [...taken, { attempt, at: now }];
        },
        save: async ({ version }, taken) =>
          writeVersion(collection, { _id, version }, { taken, until: addMs(clock(), dayMs) }),
        onConflict: "retry",
      });
      return from;
    },
    async giveBack(allowances, attempt) {
      await collection.bulkWrite(
        allowances.map(({ name }) => ({
          updateOne: {
            filter: { _id: idOf(name), "taken.attempt": attempt },
            update: { $pull: { taken: { attempt } }, $inc: { version: 1 } },
          },
        })),
        { ordered: false },
      );
    },
  };
}
