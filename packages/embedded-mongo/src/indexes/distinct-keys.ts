import type { Buffer } from "node:buffer";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { IndexDefinition } from "./definition.ts";

/** Up to this many keys, comparing them one by one is faster than a set. */
const comparedKeysMax = 24;

/** Collects the distinct keys of one document in one index. */
export class DistinctKeys {
  readonly all: Buffer[] = [];
  private readonly index: IndexDefinition;
  private known: Set<string> | undefined;

  constructor(index: IndexDefinition) {
    this.index = index;
  }

  /** `from`: the length of the prefix that all keys share. */
  add(key: Buffer, from = 0): void {
    if (this.isRepeated(key, from)) return;
    this.all.push(key);
    if (this.all.length <= limits.keysPerDocumentMax) return;
    throw new MongoError("BadValue", `too many index keys in one document for ${this.index.name}`);
  }

  /** Also adds the key to the set of known keys. */
  private isRepeated(key: Buffer, from: number): boolean {
    const { all } = this;
    if (all.length < comparedKeysMax) {
      for (let i = 0; i < all.length; i += 1) if (hasSameBytes(all[i]!, key, from)) return true;
      return false;
    }
    this.known ??= new Set(all.map((one) => one.toString("latin1")));
    const { size } = this.known;
    return this.known.add(key.toString("latin1")).size === size;
  }
}

function hasSameBytes(a: Buffer, b: Buffer, from: number): boolean {
  if (a.length !== b.length) return false;
  for (let i = from; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
