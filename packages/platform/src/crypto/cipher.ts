import { createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import { drawRandomBytes } from "./random-bytes.ts";

const algorithm = "aes-256-gcm";
const ivLength = 12;
const tagLength = 16;
const textStart = 1 + ivLength + tagLength;

/** Keys with their numbers. The first key encrypts; all of them decrypt. */
export type KeyRing = readonly (readonly [id: number, key: Uint8Array])[];

/** Encrypts stored secrets. A ciphertext decrypts only for the record that it was made for. */
export interface Cipher {
  /** The number of the key that encrypts. */
  readonly newestKey: number;
  encrypt(text: Uint8Array, recordid: string): Uint8Array;
  decrypt(sealed: Uint8Array, recordid: string): Uint8Array;
}

export function createCipher(ring: KeyRing): Cipher {
  // From bytes, Node would build a key object for every record, which costs more than encrypting.
  const keys = new Map(ring.map(([id, bytes]) => [id, createSecretKey(bytes)]));
  const newestKey = ring[0]?.[0];
  const encryptionKey = newestKey === undefined ? undefined : keys.get(newestKey);
  if (newestKey === undefined || !encryptionKey) throw new Error("the key ring is empty");
  return {
    newestKey,
    encrypt(text, recordid) {
      const iv = drawRandomBytes(ivLength);
      const cipher = createCipheriv(algorithm, encryptionKey, iv).setAAD(Buffer.from(recordid));
      const sealed = Buffer.allocUnsafe(textStart + text.length);
      sealed[0] = newestKey;
      sealed.set(iv, 1);
      sealed.set(cipher.update(text), textStart);
      // In GCM mode `final` returns no bytes; it only computes the tag.
      cipher.final();
      sealed.set(cipher.getAuthTag(), 1 + ivLength);
      return sealed;
    },
    decrypt(sealed, recordid) {
      const key = keys.get(sealed[0] ?? 0);
      if (!key) throw new Error(`encrypted with key ${sealed[0]}, which is not in the key ring`);
      const iv = sealed.subarray(1, 1 + ivLength);
      const tag = sealed.subarray(1 + ivLength, textStart);
      const decipher = createDecipheriv(algorithm, key, iv)
        .setAAD(Buffer.from(recordid))
        .setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed.subarray(textStart)), decipher.final()]);
    },
  };
}

const entry = /^(?:([1-9]\d{0,2}):)?([A-Za-z0-9+/]{43}=)$/;

/**
 * Reads keys as `2:…,1:…`, or a single key without a number, which gets number 1. Null when a key is
 * malformed, a number is above 255, or two keys have the same number.
 */
export function parseKeyRing(text: string): KeyRing | null {
  const read = text.split(",").map((each) => entry.exec(each));
  const ring = read.flatMap((parts) =>
    parts ? [[Number(parts[1] ?? 1), Buffer.from(parts[2] ?? "", "base64")] as const] : [],
  );
  const ids = new Set(ring.map(([id]) => id));
  const isWhole = ring.length === read.length && ids.size === ring.length;
  return isWhole && ring.every(([id]) => id <= 255) ? ring : null;
}
