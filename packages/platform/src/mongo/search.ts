import { extractQueryWords, type Searchable, extractSearchWords } from "@malipo/core";
import type { Collection, Document, Filter, IndexDescription, ObjectId, Sort } from "mongodb";
import { beginsNumber } from "./numbering.ts";

/** The field that holds a record's number, and the prefix of all these numbers: INV of INV-000123. */
export interface Numbered {
  readonly field: string;
  readonly prefix: string;
}

/** The records of one word, in the order of every list: a page of them is read without a sort. */
const wordsIndex = { key: { businessid: 1, words: 1, createdat: -1, _id: -1 }, name: "words" };

/** In the number's index, numbers with the same beginning are neighbours, in the order of issue. */
export function searchIndexes(numbered: Numbered | undefined): IndexDescription[] {
  if (!numbered) return [wordsIndex];
  return [wordsIndex, { key: { businessid: 1, [numbered.field]: 1 }, name: "number" }];
}

/** The field that a record is stored with so that searches find it, beside its own fields. */
export function wordsField(searchable: Searchable): Document {
  return { words: extractSearchWords(searchable) };
}

/** Two words with more records than this count as equally frequent. */
const countedMax = 1_000;

/** A filter and a sort order that one index of the collection serves. */
export interface SearchQuery {
  readonly filter: Document;
  readonly sort: Sort;
}

const newestFirst = { createdat: -1, _id: -1 } as const;

/**
 * The query for all words of a search text. Words that begin a number are looked up among the
 * numbers, all others among the records' words. A text without a word finds nothing.
 */
export async function searchQuery<Schema extends Document>(
  collection: Collection<Schema>,
  businessid: ObjectId,
  search: string | undefined,
  numbered: Numbered | undefined,
): Promise<SearchQuery> {
  if (search === undefined) return { filter: {}, sort: newestFirst };
  const wanted = extractQueryWords(search);
  const isBeginning = (word: string) =>
    numbered !== undefined && beginsNumber(numbered.prefix, word);
  const beginnings = wanted.filter(isBeginning);
  const words = wanted.filter((word) => !isBeginning(word));
  const numbers = numbered && numbersFilter(numbered, beginnings);
  if (beginnings.length > 0 && words.length === 0) {
    return numbers
      ? { filter: numbers, sort: { [numbered.field]: -1 } }
      : { filter: {}, sort: newestFirst };
  }
  const $all = await rarestFirst(collection, businessid, words);
  return { filter: { words: { $all }, ...numbers }, sort: newestFirst };
}

/** The numbers that have all of these beginnings. The bare prefix narrows nothing. */
function numbersFilter({ field, prefix }: Numbered, words: readonly string[]) {
  const beginnings = words.map((word) => word.toUpperCase()).filter((word) => word !== prefix);
  if (beginnings.length === 0) return undefined;
  const $gte = beginnings.toSorted().at(-1);
  const $lt = beginnings.map((beginning) => `${beginning}\uffff`).toSorted()[0];
  return { [field]: { $gte, $lt } };
}

/** MongoDB looks up the first word in the index and checks the others on the records it finds. */
async function rarestFirst<Schema extends Document>(
  collection: Collection<Schema>,
  businessid: ObjectId,
  words: readonly string[],
): Promise<readonly string[]> {
  if (words.length < 2) return words;
  const counted = await Promise.all(
    words.map(async (word) => {
      const filter: Filter<Document> = { businessid, words: word };
      const options = { limit: countedMax };
      return { word, count: await collection.countDocuments(filter, options) };
    }),
  );
  return counted.toSorted((one, other) => one.count - other.count).map(({ word }) => word);
}
