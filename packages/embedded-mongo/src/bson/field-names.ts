import { Buffer } from "node:buffer";
import type { ElementCursor } from "./raw-document.ts";

type Named = { readonly name: string; readonly bytes: Buffer };

/** A set of field names that is matched on bytes, without decoding a string. */
export class FieldNames implements Iterable<string> {
  private readonly names: ReadonlySet<string>;
  /** The names grouped by length and first byte. */
  private readonly byFingerprint: ReadonlyMap<number, readonly Named[]>;

  constructor(names: Iterable<string>) {
    this.names = new Set(names);
    const all = [...this.names].map((name) => ({ name, bytes: Buffer.from(name) }));
    this.byFingerprint = Map.groupBy(all, ({ bytes }) => fingerprintOf(bytes));
  }

  /** The name of the cursor's element if it is in the set. */
  matchAt({ bytes, nameStart, nameEnd }: ElementCursor): string | undefined {
    const candidates = this.byFingerprint.get(fingerprintOf(bytes, nameStart, nameEnd));
    if (candidates === undefined) return undefined;
    for (const { name, bytes: wanted } of candidates) {
      if (hasBytesAt(wanted, bytes, nameStart)) return name;
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

function fingerprintOf(bytes: Buffer, start = 0, end = bytes.length): number {
  return ((end - start) << 8) | (start < end ? (bytes[start] ?? 0) : 0);
}

/** Most names are short, so a loop is cheaper than a call into the runtime. */
function hasBytesAt(wanted: Buffer, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < wanted.length; i += 1) {
    if (wanted[i] !== bytes[start + i]) return false;
  }
  return true;
}
