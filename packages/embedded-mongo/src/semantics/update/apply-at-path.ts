import { MongoError } from "../../errors.ts";
import {
  copyDocument,
  type Document,
  fieldKey,
  getField,
  isDocument,
  newDocument,
} from "../values/document.ts";
import { identicalBson } from "../values/comparison/identical.ts";
import { shellText } from "../values/shell-text.ts";
import type { ElementFilter } from "./array-filters.ts";
import type { Part, UpdatePath } from "./path.ts";

/** Maps the value at the path to the new value. `undefined` means missing. */
export type ValueUpdate = (current: unknown, context: ApplyContext) => unknown;

export type ApplyContext = {
  readonly isInsert: boolean;
  readonly now: Date;
  /** The document before the update, for error messages. */
  readonly document: Document;
  /** The array position that `$` stands for. */
  readonly position: () => number;
  readonly arrayFilters: ReadonlyMap<string, ElementFilter>;
  /** Called with each path, its array positions filled in. */
  readonly touched: ((names: readonly string[]) => void) | undefined;
};

export type PathUpdate = {
  readonly path: UpdatePath;
  readonly update: ValueUpdate;
  /** Whether the operator creates missing documents on the path. */
  readonly creates: boolean;
};

const backfillMax = 1_500_000;

/**
 * Applies one operator. It does not modify `document`: it copies the values on the path, and
 * returns the same object if nothing changes.
 */
export function applyAtPath(
  change: PathUpdate,
  document: Document,
  context: ApplyContext,
): Document {
  return new Walk(change, context).at(document, 0, []) as Document;
}

class Walk {
  readonly #change: PathUpdate;
  readonly #context: ApplyContext;

  constructor(change: PathUpdate, context: ApplyContext) {
    this.#change = change;
    this.#context = context;
  }

  at(value: unknown, depth: number, names: readonly string[]): unknown {
    const part = this.#change.path.parts[depth];
    if (part === undefined) {
      this.#context.touched?.(names);
      const next = this.#change.update(value, this.#context);
      return identicalBson(next, value) ? value : next;
    }
    if (Array.isArray(value)) return this.#inArray(value, part, depth, names);
    if (part.kind === "every" || part.kind === "filtered") throw this.#noArray(value, names);
    const [key, name] =
      part.kind === "matched" ? this.#matchedName() : ([part.key, part.text] as const);
    if (isDocument(value)) return this.#inDocument(value, key, depth, [...names, name]);
    if (!this.#change.creates) return value;
    if (value !== undefined) throw this.#notViable(value, name, names);
    const inner = this.at(undefined, depth + 1, [...names, name]);
    if (inner === undefined) return undefined;
    const created = newDocument();
    created[key] = inner;
    return created;
  }

  #matchedName(): readonly [string, string] {
    const name = String(this.#context.position());
    return [fieldKey(name), name];
  }

  #inDocument(document: Document, key: string, depth: number, names: readonly string[]): Document {
    const current = getField(document, key);
    const next = this.at(current, depth + 1, names);
    // Object.is: NaN equals itself, and 0 differs from -0.
    if (Object.is(next, current)) return document;
    const copy = copyDocument(document);
    if (next === undefined) delete copy[key];
    else copy[key] = next;
    return copy;
  }

  #inArray(array: unknown[], part: Part, depth: number, names: readonly string[]): unknown {
    let result = array;
    for (const position of this.#positions(array, part, names)) {
      const current = array[position];
      const next = this.at(current, depth + 1, [...names, String(position)]);
      if (Object.is(next, current)) continue;
      if (result === array) result = [...array];
      while (result.length < position) result.push(null);
      result[position] = next === undefined ? null : next;
    }
    return result;
  }

  #positions(array: readonly unknown[], part: Part, names: readonly string[]): Iterable<number> {
    if (part.kind === "every") return array.keys();
    if (part.kind === "filtered") {
      const filter = this.#context.arrayFilters.get(part.identifier) as ElementFilter;
      return array.flatMap((element, position) => (filter(element) ? [position] : []));
    }
    const position = part.kind === "matched" ? this.#context.position() : part.position;
    if (position < 0) {
      if (this.#change.creates) throw this.#notViable(array, part.text, names);
      return [];
    }
    if (position - array.length > backfillMax) {
      throw new MongoError("BadValue", `can't backfill more than ${backfillMax} elements`);
    }
    return position < array.length || this.#change.creates ? [position] : [];
  }

  #notViable(value: unknown, name: string, names: readonly string[]): MongoError {
    return new MongoError(
      "PathNotViable",
      `Cannot create field '${name}' in element {${names.at(-1) ?? ""}: ${shellText(value)}}`,
    );
  }

  #noArray(value: unknown, names: readonly string[]): MongoError {
    return new MongoError(
      "BadValue",
      value === undefined
        ? `The path '${names.join(".")}' must exist in the document in order to apply array updates.`
        : `Cannot apply array updates to non-array element ${names.at(-1) ?? ""}: ${shellText(value)}`,
    );
  }
}
