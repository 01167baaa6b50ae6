import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const ivLength = 12;
const tagLength = 16;

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
  const keys = new Map(ring);
  const [newest] = ring;
  if (!newest) throw new Error("there is no key to seal with");
  const [newestKey, sealingKey] = newest;
  return {
    newestKey,
    encrypt(text, recordid) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv(algorithm, sealingKey, iv).setAAD(Buffer.from(recordid));
      const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([Buffer.of(newestKey), iv, cipher.getAuthTag(), sealed]);
    },
    decrypt(sealed, recordid) {
      const key = keys.get(sealed[0] ?? 0);
      if (!key) throw new Error(`sealed with key ${sealed[0]}, which is not here`);
      const iv = sealed.subarray(1, 1 + ivLength);
      const tag = sealed.subarray(1 + ivLength, 1 + ivLength + tagLength);
      const decipher = createDecipheriv(algorithm, key, iv)
        .setAAD(Buffer.from(recordid))
        .setAuthTag(tag);
      const text = sealed.subarray(1 + ivLength + tagLength);
      return Buffer.concat([decipher.update(text), decipher.final()]);
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
