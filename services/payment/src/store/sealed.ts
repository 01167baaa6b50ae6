import type { Cipher } from "@malipo/platform";
import { Binary, type ObjectId } from "mongodb";

/** A document with a secret that is bound to its id. */
export interface SealedDocument {
  readonly _id: ObjectId | string;
  readonly sealed?: Binary;
  /** The number of the key that sealed it, to find what older keys have sealed. */
  readonly keyid?: number;
}

/** The fields of a document that keep a text secret. */
export function seal(cipher: Cipher, text: Uint8Array, recordid: string) {
  return { sealed: new Binary(cipher.encrypt(text, recordid)), keyid: cipher.newestKey };
}

/** Undefined when the key that sealed it is not here any more. */
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
