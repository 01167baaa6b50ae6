import { createHmac } from "node:crypto";

const bytes = 18;

/** A keyed hash, so that a reader of the database learns no phone numbers and addresses from it. */
export type KeyedHash = (text: string) => string;

/** Hashes of one kind never equal those of another. */
export function keyedHash(key: Uint8Array | string, kind: "phone" | "address"): KeyedHash {
  return (text) =>
    createHmac("sha256", key)
      .update(`${kind}:${text}`)
      .digest()
      .subarray(0, bytes)
      .toString("base64url");
}
