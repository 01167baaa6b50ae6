import { isDuplicateKey } from "./connection.ts";
import type { Service } from "../service/service.ts";
import { inGroups } from "../batching/turn.ts";
import { type Collection, ObjectId } from "mongodb";

const digits = 6;
const groupMax = 1_000;

/** Whether a word is how numbers of this prefix begin, in any case, and short of a whole one. */
export function beginsNumber(prefix: string, word: string): boolean {
  return new RegExp(`^${prefix}(-\\d{1,${digits - 1}})?$`, "i").test(word);
}

/** Of INV-000123 the 000123. */
export function runningPart(number: string): string {
  return number.slice(number.lastIndexOf("-") + 1);
}

/** The numbers people know records by, such as INV-000001: each once in a business, and rising. */
export interface Numbering {
  /** The next one. Those that are asked for together are taken together. */
  next(businessid: string): Promise<string>;
  /** That many at once, in their order. What is not used in the end stays a gap. */
  block(businessid: string, count: number): Promise<string[]>;
}

interface Counter {
  readonly _id: string;
  readonly businessid: ObjectId;
  readonly last: number;
}

interface Waiting {
  readonly businessid: string;
  readonly resolve: (number: string) => void;
  readonly reject: (error: unknown) => void;
}

export function openNumbering({ store }: Pick<Service, "store">, prefix: string): Numbering {
  const counters = store.db.collection<Counter>("numbering");

  async function block(businessid: string, count: number): Promise<string[]> {
    const last = await raise(counters, prefix, businessid, count);
    return Array.from({ length: count }, (_, index) => {
      const number = last - count + 1 + index;
      return `${prefix}-${String(number).padStart(digits, "0")}`;
    });
  }

  const ask = inGroups<Waiting>(groupMax, async (waiting) => {
    const ofBusinesses = Map.groupBy(waiting, (each) => each.businessid);
    await Promise.all(
      [...ofBusinesses].map(([businessid, of]) =>
        block(businessid, of.length).then(
          (numbers) => of.forEach(({ resolve }, index) => resolve(numbers[index] ?? "")),
          (error: unknown) => of.forEach(({ reject }) => reject(error)),
        ),
      ),
    );
  });

  return {
    block,
    next: (businessid) =>
      new Promise((resolve, reject) => {
        ask({ businessid, resolve, reject });
      }),
  };
}

/** Two that make the same counter at once meet in its key, and one of them comes again. */
async function raise(
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
