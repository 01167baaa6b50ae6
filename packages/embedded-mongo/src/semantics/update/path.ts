import { MongoError } from "../../errors.ts";
import { fieldKey } from "../values/document.ts";
import { arrayPosition } from "../values/paths.ts";

/** One component of an update path. */
export type Part =
  | {
      readonly kind: "name";
      readonly text: string;
      readonly key: string;
      readonly position: number;
    }
  | { readonly kind: "matched"; readonly text: "$" }
  | { readonly kind: "every"; readonly text: "$[]" }
  | { readonly kind: "filtered"; readonly text: string; readonly identifier: string };

export type UpdatePath = { readonly text: string; readonly parts: readonly Part[] };

const partsMax = 200;

export function parseUpdatePath(text: string): UpdatePath {
  const names = text.split(".");
  if (text === "") {
    throw new MongoError("EmptyFieldName", "An empty update path is not valid.");
  }
  if (names.includes("")) {
    throw new MongoError(
      "EmptyFieldName",
      `The update path '${text}' contains an empty field name, which is not allowed.`,
    );
  }
  if (names.length > partsMax) {
    throw new MongoError("Overflow", `Cannot update a path of more than ${partsMax} components`);
  }
  const parts = names.map((name) => parsePart(name, text));
  const [first] = parts;
  if (first?.kind === "matched") {
    throw new MongoError(
      "BadValue",
      `Cannot have positional (i.e. '$') element in the first position in path '${text}'`,
    );
  }
  if (first?.kind !== "name") {
    throw new MongoError(
      "BadValue",
      `Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '${text}'`,
    );
  }
  if (parts.filter((part) => part.kind === "matched").length > 1) {
    throw new MongoError(
      "BadValue",
      `Too many positional (i.e. '$') elements found in path '${text}'`,
    );
  }
  return { text, parts };
}

function parsePart(name: string, text: string): Part {
  if (!name.startsWith("$")) {
    return { kind: "name", text: name, key: fieldKey(name), position: arrayPosition(name) };
  }
  if (name === "$") return { kind: "matched", text: "$" };
  if (name === "$[]") return { kind: "every", text: "$[]" };
  const filtered = /^\$\[(.+)\]$/.exec(name);
  if (filtered !== null) return { kind: "filtered", text: name, identifier: filtered[1] as string };
  if (["$id", "$ref", "$db"].includes(name))
    return { kind: "name", text: name, key: name, position: -1 };
  throw new MongoError(
    "DollarPrefixedFieldName",
    `The dollar ($) prefixed field '${name}' in '${text}' is not valid for storage.`,
  );
}

/**
 * The order in which MongoDB applies updates and adds fields: array positions by number, otherwise
 * by name.
 */
export function comparePaths(a: UpdatePath, b: UpdatePath): number {
  const length = Math.min(a.parts.length, b.parts.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.parts[index] as Part;
    const right = b.parts[index] as Part;
    if (left.text === right.text) continue;
    const leftPosition = left.kind === "name" ? left.position : -1;
    const rightPosition = right.kind === "name" ? right.position : -1;
    if (leftPosition >= 0 && rightPosition >= 0) return leftPosition - rightPosition;
    return left.text < right.text ? -1 : 1;
  }
  return a.parts.length - b.parts.length;
}

/** Refuses two updates of the same path, or of a path and a path below it. */
export class PathConflicts {
  readonly #tree: Tree = new Map();
  readonly #message: (path: string, at: string) => string;

  constructor(message: (path: string, at: string) => string) {
    this.#message = message;
  }

  add(names: readonly string[]): void {
    let node = this.#tree;
    for (const [index, name] of names.entries()) {
      const last = index === names.length - 1;
      const next: Tree | undefined = node.get(name);
      if (next !== undefined && (last || next.size === 0)) {
        const at = names.slice(0, index + 1).join(".");
        throw new MongoError("ConflictingUpdateOperators", this.#message(names.join("."), at));
      }
      const inner: Tree = next ?? new Map<string, never>();
      node.set(name, inner);
      node = inner;
    }
  }
}

/** A node without children is the end of an updated path. */
interface Tree extends Map<string, Tree> {}
