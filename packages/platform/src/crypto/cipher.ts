import { createCipheriv, createDecipheriv, createSecretKey } from "node:crypto";
import { fewRandomBytes } from "./random-bytes.ts";

const algorithm = "aes-256-gcm";
const ivLength = 12;
const tagLength = 16;
const textStart = 1 + ivLength + tagLength;

/** Keys by their numbers; the first one seals, all of them open. */
export type KeyRing = readonly (readonly [id: number, key: Uint8Array])[];

/** Encrypts what is kept; bound to the record it belongs to. */
export interface Cipher {
  /** The number of the key that seals. */
  readonly newestKey: number;
  encrypt(text: Uint8Array, recordid: string): Uint8Array;
  decrypt(sealed: Uint8Array, recordid: string): Uint8Array;
}

export function createCipher(ring: KeyRing): Cipher {
  // Bytes would be made into a key again for every record, which costs more than the sealing.
  const keys = new Map(ring.map(([id, bytes]) => [id, createSecretKey(bytes)]));
  const newestKey = ring[0]?.[0];
  const sealingKey = newestKey === undefined ? undefined : keys.get(newestKey);
  if (newestKey === undefined || !sealingKey) throw new Error("there is no key to seal with");
  return {
    newestKey,
    encrypt(text, recordid) {
      const iv = fewRandomBytes(ivLength);
      const cipher = createCipheriv(algorithm, sealingKey, iv).setAAD(Buffer.from(recordid));
      const sealed = Buffer.allocUnsafe(textStart + text.length);
      sealed[0] = newestKey;
      sealed.set(iv, 1);
      sealed.set(cipher.update(text), textStart);
      // In this mode nothing is left to write, only the tag to be made.
      cipher.final();
      sealed.set(cipher.getAuthTag(), 1 + ivLength);
      return sealed;
    },
    decrypt(sealed, recordid) {
      const key = keys.get(sealed[0] ?? 0);
      if (!key) throw new Error(`sealed with key ${sealed[0]}, which is not here`);
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

/** Reads keys as 2:…,1:…, or one as it is; null when they are none, or their numbers not their own. */
export function parseKeyRing(text: string): KeyRing | null {
  const read = text.split(",").map((each) => entry.exec(each));
  const ring = read.flatMap((parts) =>
    parts ? [[Number(parts[1] ?? 1), Buffer.from(parts[2] ?? "", "base64")] as const] : [],
  );
  const ids = new Set(ring.map(([id]) => id));
  const isWhole = ring.length === read.length && ids.size === ring.length;
  return isWhole && ring.every(([id]) => id <= 255) ? ring : null;
}
