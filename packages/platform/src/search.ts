import { queryWords, type Searchable, searchWords } from "@malipo/core";
import type { Document } from "mongodb";

/** The records of one word, in the order of every list: a page of them is read without a sort. */
export const searchIndex = {
  key: { businessid: 1, words: 1, createdat: -1, _id: -1 },
  name: "words",
} as const;

/** What a record is saved with to be found by, beside its own fields. */
export function wordsField(searchable: Searchable): Document {
  return { words: searchWords(searchable) };
}

/** A text without a word is found nowhere. */
export function wordsFilter(search: string | undefined): Document {
  return search === undefined ? {} : { words: { $all: queryWords(search) } };
}
