import { MongoError } from "../../errors.ts";
import { binaryParts } from "../values/comparison/compare.ts";
import { isDocument } from "../values/document.ts";

/** The memory limit of one stage. MongoDB spills to disk beyond it; this server refuses. */
const bytesMax = 100 * 1024 * 1024;

const fieldBytes = 24;

/** The approximate bytes of memory of a value, counted up to `most`. */
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

/** Counts the memory that one stage holds, and throws beyond the limit. */
export class StageMemory {
  readonly #stage: string;
  #bytes = 0;

  constructor(stage: string) {
    this.#stage = stage;
  }

  /** Adds a value that the stage keeps. Returns its size. */
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
