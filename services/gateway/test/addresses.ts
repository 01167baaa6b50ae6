import { randomBytes } from "node:crypto";

/** A random client address, because wrong credentials are limited by address. */
export function fromRandomAddress(): { "x-forwarded-for": string } {
  return { "x-forwarded-for": Array.from(randomBytes(4)).join(".") };
}
