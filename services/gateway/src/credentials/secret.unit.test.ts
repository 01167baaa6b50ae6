import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashSecret, mintSecret, modeOfSecret } from "./secret.ts";

const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
const mode = fc.constantFrom("sandbox", "live");

describe("a secret", () => {
  it("says which environment it belongs to, and looks alike whatever its bits are", () => {
    fc.assert(
      fc.property(mode, random, (wanted, bytes) => {
        const secret = mintSecret(wanted, bytes);
        expect(secret).toMatch(wanted === "live" ? /^sk_live_\w{49}$/ : /^sk_test_\w{49}$/);
        expect(modeOfSecret(secret)).toBe(wanted);
      }),
    );
  });

  it("keeps all its 256 bits", () => {
    fc.assert(
      fc.property(random, random, (one, other) => {
        fc.pre(Buffer.compare(one, other) !== 0);
        expect(mintSecret("live", one)).not.toBe(mintSecret("live", other));
      }),
    );
  });

  it("is refused with any one character mistyped", () => {
    const position = fc.integer({ min: 8, max: 56 });
    const character = fc.constantFrom(...Array.from("0123456789ABCDEFXYZabcdefxyz"));
    fc.assert(
      fc.property(random, position, character, (bytes, at, typed) => {
        const secret = mintSecret("sandbox", bytes);
        fc.pre(secret[at] !== typed);
        expect(modeOfSecret(secret.slice(0, at) + typed + secret.slice(at + 1))).toBeNull();
      }),
    );
  });

  it.each(["", "sk_test_", "sk_live_abc", "Bearer", "sk_prod_".padEnd(57, "0")])(
    "is not %j",
    (text) => {
      expect(modeOfSecret(text)).toBeNull();
    },
  );

  it("is not minted from too few bytes", () => {
    expect(() => mintSecret("live", new Uint8Array(16))).toThrow(RangeError);
  });

  it("is kept as its SHA-256 only", () => {
    expect(hashSecret("sk_test_x")).toMatch(/^[\w-]{43}$/);
    expect(hashSecret("sk_test_x")).not.toBe(hashSecret("sk_test_y"));
  });
});
