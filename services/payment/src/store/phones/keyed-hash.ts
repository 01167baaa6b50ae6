import { createHmac } from "node:crypto";

const bytes = 18;

/** A keyed hash, so that a reader of the database learns no phone numbers and addresses from it. */
export type KeyedHash = (text: string) => string;

export function keyedHash(key: Uint8Array | string): KeyedHash {
  return (text) =>
    createHmac("sha256", key)
      // The first hashes were those of phones.
      .update(`phone:${text}`)
      .digest()
      .subarray(0, bytes)
      .toString("base64url");
}
