import type { Buffer } from "node:buffer";
import type { RawValue } from "../bson/raw-document.ts";
import { decodeDocument, decodeValue, type Document } from "../bson/values.ts";
import { compileFilter } from "../semantics/index.ts";

/** Which documents belong in a partial index. */
export interface PartialFilter {
  /** The top-level fields that it looks at; undefined when that cannot be told. */
  readonly names: ReadonlySet<string> | undefined;
  /** `top` has the fields of those names, as far as the document has them. */
  readonly covers: (document: Buffer, top: ReadonlyMap<string, RawValue>) => boolean;
}

export function partialFilterOf(filter: Document): PartialFilter {
  const compiled = compileFilter(filter);
  const names = namesIn(filter);
  if (names === undefined) {
    return { names, covers: (document) => compiled.matches(decodeDocument(document)) };
  }
  // Every write of every document asks this: only what the filter looks at is decoded.
  return {
    names,
    covers: (_document, top) => {
      const seen: Document = {};
      for (const name of names) {
        const value = top.get(name);
        if (value !== undefined) seen[name] = decodeValue(value);
      }
      return compiled.matches(seen);
    },
  };
}

const combining = new Set(["$and", "$or", "$nor"]);

function namesIn(filter: Document): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const [key, condition] of Object.entries(filter)) {
    if (!key.startsWith("$")) {
      names.add(key.split(".")[0] ?? "");
      continue;
    }
    if (!combining.has(key) || !Array.isArray(condition)) return undefined;
    for (const clause of condition as Document[]) {
      const within = namesIn(clause);
      if (within === undefined) return undefined;
      for (const name of within) names.add(name);
    }
  }
  return names;
}
