import { assert } from "./assert.ts";

/** Who answers for what a pay link collects: the first character of its code says it. */
export const linkOwners = { invoice: "i", subscription: "s", standalone: "p" } as const;

export type LinkOwner = keyof typeof linkOwners;

/** Small letters and digits that nobody takes for one another, read aloud or written by hand. */
const alphabet = "abcdefghjkmnpqrstuvwxyz23456789";
const length = 10;
/** Far more than the codes there are, so that none is likelier than another. */
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

/** Whose code it is; null when it cannot be a code at all. */
export function parseLinkOwner(code: string): LinkOwner | null {
  const owners = Object.keys(linkOwners) as LinkOwner[];
  const isCode = linkCodePattern.test(code);
  return owners.find((owner) => isCode && code.startsWith(linkOwners[owner])) ?? null;
}
