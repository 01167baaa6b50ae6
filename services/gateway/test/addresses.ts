import { randomBytes } from "node:crypto";

/** Wrong credentials are counted by address; who tries many comes each time from another one. */
export function fromAnyAddress(): { "x-forwarded-for": string } {
  return { "x-forwarded-for": Array.from(randomBytes(4)).join(".") };
}
