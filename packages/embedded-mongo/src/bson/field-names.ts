import { Buffer } from "node:buffer";
import type { ElementCursor } from "./raw-document.ts";

/** Names of fields. Most others are told from them by length and first byte, without a string. */
export class FieldNames implements Iterable<string> {
  private readonly names: ReadonlySet<string>;
  private readonly looks: ReadonlySet<number>;

  constructor(names: Iterable<string>) {
    this.names = new Set(names);
    this.looks = new Set([...this.names].map((name) => lookOf(Buffer.from(name))));
  }

  /** The name of the element that the cursor is at, if it is one of these. */
  at(cursor: ElementCursor): string | undefined {
    const { bytes, nameStart, nameEnd } = cursor;
    if (!this.looks.has(lookOf(bytes, nameStart, nameEnd))) return undefined;
    const { name } = cursor;
    return this.names.has(name) ? name : undefined;
  }

  has(name: string): boolean {
    return this.names.has(name);
  }

  [Symbol.iterator](): Iterator<string> {
    return this.names.values();
  }
}

function lookOf(bytes: Buffer, start = 0, end = bytes.length): number {
  return ((end - start) << 8) | (start < end ? (bytes[start] ?? 0) : 0);
}
