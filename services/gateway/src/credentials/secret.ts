import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Mode } from "../config.ts";

// Format: sk_<test|live>_<43 characters for 256 random bits><6 characters of checksum>.
// The checksum detects a mistyped secret without a database lookup.

const prefixes = { sandbox: "sk_test_", live: "sk_live_" } as const satisfies Record<Mode, string>;
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomBytes = 32;
const randomLength = 43;
const checksumLength = 6;

const pattern = new RegExp(
  `^sk_(test|live)_([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`,
);

export function createSecret(mode: Mode, random: Uint8Array): string {
  if (random.length !== randomBytes)
    throw new RangeError(`a secret needs ${randomBytes} random bytes`);
  const unchecked = prefixes[mode] + base62(random);
  return unchecked + checksumOf(unchecked);
}

/** The environment of a well-formed secret; null for any other text. */
export function modeOfSecret(secret: string): Mode | null {
  const parts = pattern.exec(secret);
  if (!parts || checksumOf(secret.slice(0, -checksumLength)) !== parts[3]) return null;
  return parts[1] === "live" ? "live" : "sandbox";
}

/** A plain SHA-256 is enough: 256 random bits cannot be guessed, so no slow hash is needed. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "base64url");
}

function checksumOf(text: string): string {
  let digits = "";
  for (let rest = crc32(text); digits.length < checksumLength; rest = Math.floor(rest / 62))
    digits = alphabet[rest % 62] + digits;
  return digits;
}

function base62(bytes: Uint8Array): string {
  let digits = "";
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  for (; digits.length < randomLength; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits;
  return digits;
}
