import { Timestamp } from "bson";
import type { Document } from "./document.ts";

let last = { second: 0, ordinal: 0 };

/** Returns a timestamp later than all earlier ones, even if the clock goes back. */
export function timestampAt(now: Date): Timestamp {
  const second = Math.floor(now.getTime() / 1000);
  last =
    second > last.second
      ? { second, ordinal: 1 }
      : { second: last.second, ordinal: last.ordinal + 1 };
  return new Timestamp({ t: last.second, i: last.ordinal });
}

/**
 * Replaces empty top-level timestamps by the server's time, in a document that is stored as a
 * whole.
 */
export function withTimestamps(document: Document, now: Date): Document {
  const empty = Object.keys(document).filter((key) => key !== "_id" && isEmpty(document[key]));
  if (empty.length === 0) return document;
  return { ...document, ...Object.fromEntries(empty.map((key) => [key, timestampAt(now)])) };
}

function isEmpty(value: unknown): boolean {
  return value instanceof Timestamp && value.isZero();
}
