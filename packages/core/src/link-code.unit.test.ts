import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLinkCode, parseLinkOwner, type LinkOwner } from "./link-code.ts";

const owners: readonly LinkOwner[] = ["invoice", "subscription", "standalone"];
const bytes = fc.uint8Array({ minLength: 8, maxLength: 16 });

describe("createLinkCode", () => {
  it("returns ten unambiguous characters, the first of which names the owner", () => {
    fc.assert(
      fc.property(fc.constantFrom(...owners), bytes, (owner, random) => {
        const code = createLinkCode(owner, random);
        expect(code).toMatch(/^[isp][a-hj-km-np-z2-9]{9}$/);
        expect(parseLinkOwner(code)).toBe(owner);
      }),
    );
  });

  it("returns another code when any one of the low 40 random bits differs", () => {
    const random = Uint8Array.from([0, 0, 1, 2, 3, 4, 5, 6]);
    const codes = Array.from({ length: 40 }, (_, bit) => {
      const flipped = Uint8Array.from(random);
      const at = 7 - Math.floor(bit / 8);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (bit % 8));
      return createLinkCode("invoice", flipped);
    });
    expect(new Set([createLinkCode("invoice", random), ...codes]).size).toBe(41);
  });

  it("writes the first eight bytes as a base-31 number, lowest digit first", () => {
    fc.assert(
      fc.property(bytes, (random) => {
        const letters = "abcdefghjkmnpqrstuvwxyz23456789";
        const drawn = Buffer.from(random).readBigUInt64BE();
        const places = Array.from({ length: 9 }, (_, place) => 31n ** BigInt(place));
        const expected = places.map((place) => letters[Number((drawn / place) % 31n)]);
        expect(createLinkCode("invoice", random)).toBe(`i${expected.join("")}`);
      }),
    );
  });

  it.each(["", "i23456789", "x234567892", "i23456789l", "I234567892", "i2345678922", "../i234567"])(
    "parseLinkOwner returns null for %j",
    (text) => {
      expect(parseLinkOwner(text)).toBeNull();
    },
  );

  it("throws when there are fewer than eight random bytes", () => {
    expect(() => createLinkCode("invoice", new Uint8Array(7))).toThrow("8 random bytes");
  });
});
