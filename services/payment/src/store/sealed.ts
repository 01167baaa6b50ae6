import type { Cipher } from "@malipo/platform";
import { Binary, type ObjectId } from "mongodb";

/** A document with a secret that is sealed: encrypted, and bound to the id of the document. */
export interface SealedDocument {
  readonly _id: ObjectId | string;
  readonly sealed?: Binary;
  /** The number of the key that sealed it. Documents sealed with an older key are found by it. */
  readonly keyid?: number;
}

/** The fields of a document that hold a secret. */
export function seal(cipher: Cipher, secret: Uint8Array, recordid: string) {
  return { sealed: new Binary(cipher.encrypt(secret, recordid)), keyid: cipher.newestKey };
}

/** Undefined when none of the configured keys opens it. */
export function openSealed(
  cipher: Cipher,
  sealed: Binary,
  recordid: string,
): Uint8Array | undefined {
  try {
    return cipher.decrypt(sealed.value(), recordid);
  } catch {
    return undefined;
  }
}
