import { extractQueryWords, type Searchable, extractSearchWords } from "@malipo/core";
import type { Document, IndexDescription, ObjectId, Sort } from "mongodb";
import type { EventfulCollection } from "../outbox/event-document.ts";
import { beginsNumber } from "./numbering.ts";

/** The field that holds a record's number, and how all these numbers begin: INV of INV-000123. */
export interface Numbered {
  readonly field: string;
  readonly prefix: string;
}

/** The records of one word, in the order of every list: a page of them is read without a sort. */
const wordsIndex = { key: { businessid: 1, words: 1, createdat: -1, _id: -1 }, name: "words" };

/** Numbers that begin alike stand together, in the order in which they were given. */
export function searchIndexes(numbered: Numbered | undefined): IndexDescription[] {
  if (!numbered) return [wordsIndex];
  return [wordsIndex, { key: { businessid: 1, [numbered.field]: 1 }, name: "number" }];
}

/** What a record is saved with to be found by, beside its own fields. */
export function wordsField(searchable: Searchable): Document {
  return { words: extractSearchWords(searchable) };
}

/** Beyond so many records of a word it does not matter how many more there are. */
const comparedMax = 1_000;

/** What is asked of the store, in an order that one of its indexes has. */
export interface Lookup {
  readonly filter: Document;
  readonly sort: Sort;
}

const usualOrder = { createdat: -1, _id: -1 } as const;

/**
 * All of a text's words: what begins a number is looked for among the numbers, the others among the
 * words. A text without a word is found nowhere.
 */
export async function lookUp(
  collection: EventfulCollection,
  businessid: ObjectId,
  search: string | undefined,
  numbered: Numbered | undefined,
): Promise<Lookup> {
  if (search === undefined) return { filter: {}, sort: usualOrder };
  const asked = extractQueryWords(search);
  const begins = (word: string) => numbered !== undefined && beginsNumber(numbered.prefix, word);
  const beginnings = asked.filter(begins);
  const words = asked.filter((word) => !begins(word));
  const numbers = numbered && numbersFilter(numbered, beginnings);
  if (beginnings.length > 0 && words.length === 0) {
    return numbers
      ? { filter: numbers, sort: { [numbered.field]: -1 } }
      : { filter: {}, sort: usualOrder };
  }
  const $all = await rarestFirst(collection, businessid, words);
  return { filter: { words: { $all }, ...numbers }, sort: usualOrder };
}

/** Numbers that begin in each of these ways. What all of them begin with narrows nothing. */
function numbersFilter({ field, prefix }: Numbered, words: readonly string[]) {
  const beginnings = words.map((word) => word.toUpperCase()).filter((word) => word !== prefix);
  if (beginnings.length === 0) return undefined;
  const $gte = beginnings.toSorted().at(-1);
  const $lt = beginnings.map((beginning) => `${beginning}\uffff`).toSorted()[0];
  return { [field]: { $gte, $lt } };
}

/** The first is looked up in the index, the others are checked on what it finds. */
async function rarestFirst(
  collection: EventfulCollection,
  businessid: ObjectId,
  words: readonly string[],
): Promise<readonly string[]> {
  if (words.length < 2) return words;
  const counted = await Promise.all(
    words.map(async (word) => {
      const options = { limit: comparedMax };
      return { word, count: await collection.countDocuments({ businessid, words: word }, options) };
    }),
  );
  return counted.toSorted((one, other) => one.count - other.count).map(({ word }) => word);
}
