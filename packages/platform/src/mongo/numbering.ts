import { type Collection, type Db, ObjectId } from "mongodb";
import { batchCalls } from "../batching/index.ts";
import { isDuplicateKey } from "./store-errors.ts";

const digits = 6;
const batchMax = 1_000;

/** Whether a word is the beginning of a number with this prefix, in any case, but no whole number. */
export function beginsNumber(prefix: string, word: string): boolean {
  return new RegExp(`^${prefix}(-\\d{1,${digits - 1}})?$`, "i").test(word);
}

/** The part of INV-000123 that counts up: 000123. */
export function runningPart(number: string): string {
  return number.slice(number.lastIndexOf("-") + 1);
}

/** Numbers that people know records by, such as INV-000001: unique in a business, and rising. */
export interface Numbering {
  /** The next number. Calls of the same time take their numbers in one write. */
  takeNext(businessid: string): Promise<string>;
  /** That many numbers at once, in their order. Unused numbers stay a gap. */
  takeBlock(businessid: string, count: number): Promise<string[]>;
}

interface Counter {
  readonly _id: string;
  readonly businessid: ObjectId;
  readonly last: number;
}

export function openNumbering(
  { store }: { readonly store: { readonly db: Db } },
  prefix: string,
): Numbering {
  const counters = store.db.collection<Counter>("numbering");

  async function block(businessid: string, count: number): Promise<string[]> {
    const last = await increaseCounter(counters, prefix, businessid, count);
    return Array.from({ length: count }, (_, index) => {
      const number = last - count + 1 + index;
      return `${prefix}-${String(number).padStart(digits, "0")}`;
    });
  }

  const next = batchCalls<string, string>(batchMax, async (businessids) => {
    const calls = Map.groupBy(businessids, (businessid) => businessid);
    const blocks = [...calls].map(async ([businessid, { length }]) => {
      // A failure concerns this business only.
      const taken = await block(businessid, length).catch((error: Error) => error);
      return [businessid, Array.isArray(taken) ? taken.values() : taken] as const;
    });
    const byBusiness = new Map(await Promise.all(blocks));
    return businessids.map((businessid) => {
      const numbers = byBusiness.get(businessid);
      return numbers instanceof Error ? numbers : (numbers?.next().value ?? "");
    });
  });

  return { takeBlock: block, takeNext: next };
}

/** Two writers that create the same counter at once meet in its key, and one of them tries again. */
async function increaseCounter(
  counters: Collection<Counter>,
  prefix: string,
  businessid: string,
  count: number,
): Promise<number> {
  for (;;) {
    try {
      const counter = await counters.findOneAndUpdate(
        { _id: `${prefix}:${businessid}` },
        { $inc: { last: count }, $setOnInsert: { businessid: new ObjectId(businessid) } },
        { upsert: true, returnDocument: "after" },
      );
      if (counter) return counter.last;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }
}
