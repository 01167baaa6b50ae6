import { MongoError } from "../../errors.ts";
import { compileElementFilter, compileFilter, type Filter } from "../filter/compile.ts";
import type { FilterOptions } from "../filter/filter-options.ts";
import { letVariables } from "../expression/variables.ts";
import { canonicalDocument } from "../values/canonical.ts";
import { type Document, isDocument } from "../values/document.ts";
import { isNumber, toDouble } from "../values/numbers/numbers.ts";
import type { MatchDetails } from "../values/paths.ts";
import { ProjectionParser, type Special, type SpecialEntry } from "./parse.ts";
import { applyTree, type Entry } from "./tree.ts";

/**
 * Compiles the projection of `find`: inclusion, exclusion, expressions, `$slice`, `$elemMatch`,
 * `path.$`.
 */
export function compileProjection(
  given: Document,
  filter: Document,
  options: FilterOptions = {},
): (document: Document) => Document {
  const projection = canonicalDocument(given);
  if (Object.keys(projection).length === 0) return (document) => document;
  const variables = letVariables(options.variables, options.now);
  const positional = new Positional(() => compileFilter(filter, options));
  const parser = new ProjectionParser(
    { variables: new Set(Object.keys(variables)) },
    specials(positional),
  );
  const { tree, mode } = parser.parse(projection);
  if (positional.used && mode === "exclude") {
    throw new MongoError(31395, "positional projection cannot be used with exclusion");
  }
  const now = options.now ?? new Date();
  return (document) => {
    positional.at(document);
    return applyTree(document, tree, mode, { root: document, now, variables });
  };
}

/** The single `path.$` of a projection: the array element where the filter matched. */
class Positional {
  readonly #filter: () => Filter;
  #document: Document | undefined;
  used = false;

  constructor(filter: () => Filter) {
    this.#filter = filter;
  }

  at(document: Document): void {
    this.#document = document;
  }

  entry(): Entry {
    if (this.used) {
      throw new MongoError(31276, "Cannot specify more than one positional projection per query.");
    }
    this.used = true;
    const { matches } = this.#filter();
    return {
      kind: "change",
      change: (value) => {
        if (!Array.isArray(value)) return value;
        const details: MatchDetails = { position: undefined };
        matches(this.#document as Document, details);
        const { position } = details;
        if (position !== undefined && position < value.length) return [value[position]];
        throw new MongoError(
          51246,
          "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
        );
      },
    };
  }
}

function specials(positional: Positional): Special {
  return (path, value) => {
    if (path.endsWith(".$")) {
      return { path: path.slice(0, -2), entry: positional.entry(), mode: "include" };
    }
    if (!isDocument(value)) return undefined;
    const [operator] = Object.keys(value);
    switch (operator) {
      case "$slice":
        return { path, entry: slice(value["$slice"]), mode: undefined };
      case "$elemMatch":
        return elementMatch(path, value["$elemMatch"]);
      case "$meta":
        throw new MongoError("BadValue", "$meta is not supported by this server");
      default:
        return undefined;
    }
  };
}

function slice(operand: unknown): Entry {
  const [skip, limit] = sliceBounds(operand);
  return {
    kind: "change",
    change: (value) => {
      if (!Array.isArray(value)) return value;
      const start = skip < 0 ? Math.max(value.length + skip, 0) : skip;
      return value.slice(start, start + limit);
    },
  };
}

function sliceBounds(operand: unknown): readonly [number, number] {
  if (isNumber(operand)) {
    const count = Math.trunc(toDouble(operand));
    return count < 0 ? [count, -count] : [0, count];
  }
  if (!Array.isArray(operand) || operand.length !== 2 || !operand.every(isNumber)) {
    throw new MongoError(
      28667,
      "Invalid $slice syntax. The given syntax { $slice: ... } did not match the find() syntax because :: Location31273: $slice only supports numbers and [x,y] arrays",
    );
  }
  const [skip, limit] = operand.map((one) => Math.trunc(toDouble(one))) as [number, number];
  if (limit <= 0)
    throw new MongoError(
      28724,
      "First argument to $slice must be an array, or limit must be positive",
    );
  return [skip, limit];
}

function elementMatch(path: string, operand: unknown): SpecialEntry {
  if (!isDocument(operand)) {
    throw new MongoError(31274, "elemMatch: Invalid argument, object required");
  }
  if (path.includes(".")) {
    throw new MongoError(31275, "Cannot use $elemMatch projection on a nested field.");
  }
  const matches = compileElementFilter(operand);
  return {
    path,
    mode: "include",
    entry: {
      kind: "change",
      change: (value) => {
        const index = Array.isArray(value) ? value.findIndex(matches) : -1;
        return index < 0 ? undefined : [(value as unknown[])[index]];
      },
    },
  };
}
