import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const version = 1;
const ivLength = 12;
const tagLength = 16;

/** Encrypts what is kept for a while; bound to the record it belongs to. */
export interface Cipher {
  encrypt(text: Uint8Array, recordid: string): Uint8Array;
  decrypt(sealed: Uint8Array, recordid: string): Uint8Array;
}

export function createCipher(key: Uint8Array): Cipher {
  return {
    encrypt(text, recordid) {
      const iv = randomBytes(ivLength);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(recordid));
      const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), sealed]);
    },
    decrypt(sealed, recordid) {
      if (sealed[0] !== version) throw new Error(`sealed by version ${sealed[0]}`);
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
