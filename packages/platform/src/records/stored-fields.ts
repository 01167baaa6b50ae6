import type { Searchable } from "@malipo/core";
import type { Document } from "mongodb";
import { wordsField } from "../mongo/index.ts";
import type { Entity } from "./entity.ts";

/** The fields of an entity to write: all of them on insert, the changed ones on update. */
export interface StoredFields<E extends Entity> {
  readonly all: (entity: E) => Document;
  readonly changed: (before: E, after: E) => Document;
}

export function storedFields<E extends Entity>(
  searchableOf?: (entity: E) => Searchable,
): StoredFields<E> {
  const wordsOf = (entity: E) => searchableOf && wordsField(searchableOf(entity));
  const hasSameWords = (one: E, other: E) =>
    JSON.stringify(searchableOf?.(one)) === JSON.stringify(searchableOf?.(other));
  return {
    all: (entity) => ({ ...withoutIds(entity), ...wordsOf(entity) }),
    changed: (before, after) => ({
      ...changedFields(withoutIds(before), withoutIds(after)),
      ...(!hasSameWords(before, after) && wordsOf(after)),
    }),
  };
}

function withoutIds({ id: _id, businessid: _businessid, ...fields }: Entity): Document {
  return fields;
}

/** The fields that differ after a change. Entities are immutable: nested values are never edited. */
export function changedFields(before: Document, after: Document): Document {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => !isSame(before[name], value)),
  );
}

/** Equal values that are different objects count as changed; that costs only a few bytes. */
function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Date && other instanceof Date) return one.getTime() === other.getTime();
  return Object.is(one, other);
}
