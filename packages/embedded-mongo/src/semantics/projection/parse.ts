import { MongoError } from "../../errors.ts";
import { compile, type Scope } from "../expression/index.ts";
import { isTrue } from "../values/truth.ts";
import { type Document, fieldName, isDocument } from "../values/document.ts";
import { fieldPathKeys } from "../expression/compile.ts";
import { isNumber } from "../values/numbers/numbers.ts";
import { addEntry, type Entry, type Mode, type Tree } from "./tree.ts";

/**
 * Parses the operators and the positional `$` that only `find` has; `undefined` for other fields.
 */
export type Special = (path: string, value: unknown) => SpecialEntry | undefined;
export type SpecialEntry = {
  readonly path: string;
  readonly entry: Entry;
  readonly mode: Mode | undefined;
};

export type Projection = { readonly tree: Tree; readonly mode: "include" | "exclude" };

const depthMax = 100;

/** Parses an inclusion or an exclusion. All fields except `_id` must be of the same kind. */
export class ProjectionParser {
  readonly #tree: Tree = new Map();
  readonly #scope: Scope;
  readonly #special: Special;
  #mode: "include" | "exclude" | undefined;
  #id: "include" | "exclude" | undefined;
  #leaning: "include" | undefined;

  constructor(scope: Scope, special: Special = () => undefined) {
    this.#scope = scope;
    this.#special = special;
  }

  parse(projection: Document): Projection {
    this.#fields(projection, "", 0);
    const mode = this.#mode ?? this.#leaning ?? (this.#id === "include" ? "include" : "exclude");
    this.#settleId(mode);
    return { tree: this.#tree, mode };
  }

  #fields(projection: Document, prefix: string, depth: number): void {
    if (depth > depthMax) throw new MongoError("Overflow", "projection is nested too deeply");
    for (const key of Object.keys(projection)) {
      const path = prefix + fieldName(key);
      const value = projection[key];
      const special = this.#special(path, value);
      if (special !== undefined) {
        if (special.mode === "include") this.#leaning = "include";
        addEntry(this.#tree, fieldPathKeys(special.path), special.entry);
      } else this.#field(path, value, depth);
    }
  }

  #field(path: string, value: unknown, depth: number): void {
    if (typeof value === "boolean" || isNumber(value)) {
      const kind = isTrue(value) ? "include" : "exclude";
      if (path === "_id") this.#id = kind;
      else this.#agree(kind, path);
      addEntry(this.#tree, fieldPathKeys(path), { kind: kind === "include" ? "keep" : "drop" });
    } else if (isDocument(value) && !isExpression(value)) {
      if (Object.keys(value).length === 0) {
        throw new MongoError(
          51270,
          `An empty sub-projection is not a valid value. Found empty object at path ${path}`,
        );
      }
      this.#fields(value, `${path}.`, depth + 1);
    } else {
      if (path !== "_id") this.#agree("include", path);
      this.#leaning = "include";
      addEntry(this.#tree, fieldPathKeys(path), {
        kind: "compute",
        evaluate: compile(value, this.#scope),
      });
    }
  }

  #agree(mode: "include" | "exclude", path: string): void {
    this.#mode ??= mode;
    if (this.#mode === mode) return;
    throw mode === "include"
      ? new MongoError(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
      : new MongoError(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
  }

  #settleId(mode: "include" | "exclude"): void {
    const id = this.#tree.get("_id");
    if (mode === "include" && id === undefined) this.#tree.set("_id", { kind: "keep" });
  }
}

function isExpression(value: Document): boolean {
  return Object.keys(value)[0]?.startsWith("$") === true;
}
