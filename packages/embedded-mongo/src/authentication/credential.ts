import type { Buffer } from "node:buffer";
import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

/** What a client must know to use the server. */
export type UserPassword = { readonly user: string; readonly password: string };

/** What the server keeps of a password for SCRAM-SHA-256. The password cannot be read from it. */
export type Credential = {
  readonly user: string;
  readonly salt: Buffer;
  readonly iterations: number;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
};

/** As many as MongoDB uses. Drivers refuse fewer than 4096. */
const iterations = 15_000;
const keyBytes = 32;

const userPattern = /^[\w.-]{1,64}$/;
/**
 * SCRAM normalizes other characters before it hashes them, and `@`, `:` and `/` would need escapes in
 * a URI. Generated passwords need neither.
 */
const passwordPattern = /^[\w.~-]{16,256}$/;

export function hmac(key: Buffer, text: string | Buffer): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

export function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

export async function deriveCredential({ user, password }: UserPassword): Promise<Credential> {
  if (!userPattern.test(user)) {
    throw new Error("the user must be 1 to 64 letters, digits, '_', '.' or '-'");
  }
  if (!passwordPattern.test(password)) {
    throw new Error("the password must be 16 to 256 letters, digits, '_', '.', '~' or '-'");
  }
  const salt = randomBytes(28);
  const salted = await promisify(pbkdf2)(password, salt, iterations, keyBytes, "sha256");
  return {
    user,
    salt,
    iterations,
    storedKey: sha256(hmac(salted, "Client Key")),
    serverKey: hmac(salted, "Server Key"),
  };
}
