import { createHmac } from "node:crypto";

const bytes = 18;

/** A keyed hash, so that a reader of the database learns no phone numbers from it. */
export type PhoneHash = (phone: string) => string;

export function phoneHash(key: Uint8Array | string): PhoneHash {
  return (phone) =>
    createHmac("sha256", key)
      .update(`phone:${phone}`)
      .digest()
      .subarray(0, bytes)
      .toString("base64url");
}
