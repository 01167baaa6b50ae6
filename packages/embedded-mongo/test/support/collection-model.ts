import { serialize } from "bson";
import { compileFilter, decode, equalBson, indexTuples } from "../../src/semantics/index.ts";
import type { Document } from "../../src/semantics/index.ts";
import type { Index } from "./planner-scenarios.ts";

/* A collection as an array of documents, queried with the pure functions of semantics. */

/** Converts a driver's document to the form in memory. */
export function stored(document: object): Document {
  return decode(serialize(document));
}

const partialFilter = { a: { $gt: 1 } };
export const optionsOf = {
  plain: {},
  sparse: { sparse: true },
  partial: { partialFilterExpression: partialFilter },
  unique: { unique: true },
  uniqueSparse: { unique: true, sparse: true },
  uniquePartial: { unique: true, partialFilterExpression: partialFilter },
} as const;

export class Model {
  documents: Document[] = [];
  readonly #indexes: readonly Index[];
  #nextId = 1;

  constructor(indexes: readonly Index[]) {
    this.#indexes = indexes;
  }

  withId(document: object): object {
    const whole = { _id: this.#nextId, ...document };
    this.#nextId += 1;
    return whole;
  }

  matching(filter: Document): Document[] {
    const { matches } = compileFilter(stored(filter));
    return this.documents.filter((document) => matches(document));
  }

  /** The error codes with which an index can refuse a document that replaces `before`. */
  refusals(document: Document, before?: Document): number[] {
    const others = this.documents.filter((one) => one !== before);
    return this.#indexes.flatMap((index) => {
      const entries = entriesOf(index, document);
      if (typeof entries === "number") return [entries];
      if (!index.kind.startsWith("unique")) return [];
      const taken = others.flatMap((one) => entriesOf(index, one) as unknown[][]);
      return entries.some((entry) => taken.some((other) => equalBson(entry, other))) ? [11000] : [];
    });
  }

  replace(before: Document, after: Document): void {
    this.documents[this.documents.indexOf(before)] = after;
  }
}

function entriesOf({ key, kind }: Index, document: Document): unknown[][] | number {
  const paths = key.map(([path]) => path);
  if (/partial/i.test(kind) && !compileFilter(partialFilter).matches(document)) return [];
  try {
    return indexTuples(document, paths, /sparse/i.test(kind));
  } catch (error) {
    return (error as { code: number }).code;
  }
}
