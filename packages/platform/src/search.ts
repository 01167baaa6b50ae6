import { queryWords, type Searchable, searchWords } from "@malipo/core";
import type { Document, ObjectId } from "mongodb";
import type { EventfulCollection } from "./events.ts";

/** The records of one word, in the order of every list: a page of them is read without a sort. */
export const searchIndex = {
  key: { businessid: 1, words: 1, createdat: -1, _id: -1 },
  name: "words",
} as const;

/** What a record is saved with to be found by, beside its own fields. */
export function wordsField(searchable: Searchable): Document {
  return { words: searchWords(searchable) };
}

/** Beyond so many records of a word it does not matter how many more there are. */
const comparedMax = 1_000;

/**
 * All of the text's words, the rarest first: that one is looked up in the index, and the others are
 * checked on what it finds. A text without a word is found nowhere.
 */
export async function wordsFilter(
  collection: EventfulCollection,
  businessid: ObjectId,
  search: string | undefined,
): Promise<Document> {
  if (search === undefined) return {};
  const words = queryWords(search);
  if (words.length < 2) return { words: { $all: words } };
  const counted = await Promise.all(
    words.map(async (word) => {
      const options = { limit: comparedMax };
      return { word, count: await collection.countDocuments({ businessid, words: word }, options) };
    }),
  );
  const rarestFirst = counted.toSorted((one, other) => one.count - other.count);
  return { words: { $all: rarestFirst.map(({ word }) => word) } };
}
