import { MongoError } from "../../errors.ts";
import { binaryParts } from "../values/compare.ts";
import { isDocument } from "../values/document.ts";

/** What MongoDB lets one stage hold before it goes to disk, which this server does not. */
const bytesMax = 100 * 1024 * 1024;

const fieldBytes = 24;

/** About the bytes of memory that a value takes; it stops counting at `most`. */
function sizeOf(value: unknown, most = bytesMax): number {
  if (typeof value === "string") return fieldBytes + value.length;
  if (typeof value !== "object" || value === null) return fieldBytes;
  if (value instanceof Uint8Array || "sub_type" in value) {
    return fieldBytes + binaryParts(value as Uint8Array).bytes.length;
  }
  if (!Array.isArray(value) && !isDocument(value)) return 2 * fieldBytes;
  let size = fieldBytes;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const one of inner) {
    size += sizeOf(one, most - size);
    if (size > most) return size;
  }
  return size;
}

/** The memory of one stage. */
export class HeldMemory {
  readonly #stage: string;
  #bytes = 0;

  constructor(stage: string) {
    this.#stage = stage;
  }

  /** Counts a value that is kept; returns its size. */
  hold(value: unknown): number {
    const size = sizeOf(value);
    this.#bytes += size;
    if (this.#bytes <= bytesMax) return size;
    throw new MongoError(
      "QueryExceededMemoryLimitNoDiskUseAllowed",
      `Exceeded memory limit for ${this.#stage}: this server does not use the disk for it`,
    );
  }

  get halfFull(): boolean {
    return this.#bytes > bytesMax / 2;
  }

  release(size: number): void {
    this.#bytes -= size;
  }
}
