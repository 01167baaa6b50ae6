import { Buffer } from "node:buffer";
import type { ElementCursor } from "./raw-document.ts";

type Named = { readonly name: string; readonly bytes: Buffer };

/** Names of fields, told from others by their bytes, without a string. */
export class FieldNames implements Iterable<string> {
  private readonly names: ReadonlySet<string>;
  /** By length and first byte. */
  private readonly looks: ReadonlyMap<number, readonly Named[]>;

  constructor(names: Iterable<string>) {
    this.names = new Set(names);
    const all = [...this.names].map((name) => ({ name, bytes: Buffer.from(name) }));
    this.looks = Map.groupBy(all, ({ bytes }) => lookOf(bytes));
  }

  /** The name of the element that the cursor is at, if it is one of these. */
  at({ bytes, nameStart, nameEnd }: ElementCursor): string | undefined {
    const alike = this.looks.get(lookOf(bytes, nameStart, nameEnd));
    if (alike === undefined) return undefined;
    for (const { name, bytes: wanted } of alike) {
      if (isAt(wanted, bytes, nameStart)) return name;
    }
    return undefined;
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

/** Most names are short: cheaper here than in a call of the runtime. */
function isAt(wanted: Buffer, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < wanted.length; i += 1) {
    if (wanted[i] !== bytes[start + i]) return false;
  }
  return true;
}
