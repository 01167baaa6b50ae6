import { MongoError } from "../../errors.ts";
import { compileFilter } from "../filter/compile.ts";
import { type Document, fieldName, isDocument, newDocument } from "../values/document.ts";
import { shellText } from "../values/shell-text.ts";
import type { UpdatePath } from "./path.ts";

export type ElementFilter = (element: unknown) => boolean;

/** Compiles `arrayFilters`, by identifier. */
export function compileArrayFilters(filters: readonly Document[]): Map<string, ElementFilter> {
  const compiled = new Map<string, ElementFilter>();
  for (const filter of filters) {
    const identifier = identifierOf(filter);
    if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier)) {
      throw new MongoError(
        "BadValue",
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier}'`,
      );
    }
    if (compiled.has(identifier)) {
      throw new MongoError(
        "FailedToParse",
        `Found multiple array filters with the same top-level field name ${identifier}`,
      );
    }
    const { matches } = compileFilter(filter);
    compiled.set(identifier, (element) => {
      const wrapped = newDocument();
      wrapped[identifier] = element;
      return matches(wrapped);
    });
  }
  return compiled;
}

function identifierOf(filter: Document): string {
  const identifiers = new Set(namesIn(filter));
  const [first, second] = identifiers;
  if (first === undefined) {
    throw new MongoError(
      "FailedToParse",
      "Cannot use an expression without a top-level field name in arrayFilters",
    );
  }
  if (second !== undefined) {
    throw new MongoError(
      "FailedToParse",
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${first}' and '${second}'`,
    );
  }
  return first;
}

function namesIn(filter: Document): string[] {
  return Object.keys(filter).flatMap((key) => {
    const name = fieldName(key);
    if (!name.startsWith("$")) return [name.split(".")[0] as string];
    const clauses = filter[key];
    return Array.isArray(clauses)
      ? clauses.flatMap((clause) => (isDocument(clause) ? namesIn(clause) : []))
      : [];
  });
}

/** Checks that every identifier in a path has a filter and that every filter is used. */
export function checkArrayFilters(
  filters: ReadonlyMap<string, ElementFilter>,
  paths: readonly UpdatePath[],
  update: Document,
): void {
  const used = new Set<string>();
  for (const path of paths) {
    for (const part of path.parts) {
      if (part.kind !== "filtered") continue;
      used.add(part.identifier);
      if (!filters.has(part.identifier)) {
        throw new MongoError(
          "BadValue",
          `No array filter found for identifier '${part.identifier}' in path '${path.text}'`,
        );
      }
    }
  }
  for (const identifier of filters.keys()) {
    if (!used.has(identifier)) {
      throw new MongoError(
        "FailedToParse",
        `The array filter for identifier '${identifier}' was not used in the update ${shellText(update)}`,
      );
    }
  }
}
