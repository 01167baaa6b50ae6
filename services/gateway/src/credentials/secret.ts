import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Mode } from "../config.ts";

// A secret is sk_<test|live>_<43 characters for 256 random bits><6 characters of checksum>.
// The checksum finds a mistyped secret without a look at the database.

const prefixes = { sandbox: "sk_test_", live: "sk_live_" } as const satisfies Record<Mode, string>;
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomBytes = 32;
const randomLength = 43;
const checksumLength = 6;

const pattern = new RegExp(
  `^sk_(test|live)_([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`,
);

export function mintSecret(mode: Mode, random: Uint8Array): string {
  if (random.length !== randomBytes)
    throw new RangeError(`a secret takes ${randomBytes} random bytes`);
  const unchecked = prefixes[mode] + base62(random);
  return unchecked + checksumOf(unchecked);
}

/** The environment a well-formed secret belongs to; null for anything else. */
export function modeOfSecret(secret: string): Mode | null {
  const parts = pattern.exec(secret);
  if (!parts || checksumOf(secret.slice(0, -checksumLength)) !== parts[3]) return null;
  return parts[1] === "live" ? "live" : "sandbox";
}

/** 256 random bits need no slow hash. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "base64url");
}

function checksumOf(text: string): string {
  let written = "";
  for (let rest = crc32(text); written.length < checksumLength; rest = Math.floor(rest / 62))
    written = alphabet[rest % 62] + written;
  return written;
}

function base62(bytes: Uint8Array): string {
  let text = "";
  let rest = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  for (; text.length < randomLength; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text;
}
