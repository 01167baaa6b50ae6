import type { Searchable } from "@malipo/core";
import type { Document } from "mongodb";
import type { Entity } from "./records.ts";
import { wordsField } from "../mongo/search.ts";

/** What of an entity is written: all of it at first, then what a change has changed. */
export interface FieldsSaved<E extends Entity> {
  readonly all: (entity: E) => Document;
  readonly changed: (before: E, after: E) => Document;
}

export function fieldsSavedBy<E extends Entity>(
  searchableOf?: (entity: E) => Searchable,
): FieldsSaved<E> {
  const wordsOf = (entity: E) => searchableOf && wordsField(searchableOf(entity));
  const isFoundAlike = (one: E, other: E) =>
    JSON.stringify(searchableOf?.(one)) === JSON.stringify(searchableOf?.(other));
  return {
    all: (entity) => ({ ...ownFieldsOf(entity), ...wordsOf(entity) }),
    changed: (before, after) => ({
      ...changedFields(ownFieldsOf(before), ownFieldsOf(after)),
      ...(!isFoundAlike(before, after) && wordsOf(after)),
    }),
  };
}

function ownFieldsOf({ id: _id, businessid: _businessid, ...fields }: Entity): Document {
  return fields;
}

/** Of the fields after a change those that are not as before. What they hold nobody writes into. */
export function changedFields(before: Document, after: Document): Document {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isSame(before[name], value)),
  );
}

/** That it cannot tell of two that are equal costs a few bytes, and nothing else. */
function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  return Object.is(one, other);
}
