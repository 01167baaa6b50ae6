import { assert } from "./assert.ts";

/** Which kind of record a pay link collects money for; the first character of its code says it. */
export const linkOwners = { invoice: "i", subscription: "s", standalone: "p" } as const;

export type LinkOwner = keyof typeof linkOwners;

/** Lower-case letters and digits that people do not confuse, read aloud or written by hand. */
const alphabet = "abcdefghjkmnpqrstuvwxyz23456789";
const length = 10;
/** 2^64 is far more than the 31^9 codes, so that all codes are almost equally likely. */
const randomBytesMin = 8;

/** The code of a pay link: the owner's letter and nine characters made of the random bytes. */
export function createLinkCode(owner: LinkOwner, random: Uint8Array): string {
  assert(random.length >= randomBytesMin, `a code takes ${randomBytesMin} random bytes`);
  const base = BigInt(alphabet.length);
  let rest = new DataView(random.buffer, random.byteOffset).getBigUint64(0);
  let code: string = linkOwners[owner];
  while (code.length < length) {
    code += alphabet.charAt(Number(rest % base));
    rest /= base;
  }
  return code;
}

export const linkCodePattern = new RegExp(
  `^[${Object.values(linkOwners).join("")}][${alphabet}]{9}$`,
);

/** Returns null when the text is not a link code. */
export function parseLinkOwner(code: string): LinkOwner | null {
  const owners = Object.keys(linkOwners) as LinkOwner[];
  const isCode = linkCodePattern.test(code);
  return owners.find((owner) => isCode && code.startsWith(linkOwners[owner])) ?? null;
}
