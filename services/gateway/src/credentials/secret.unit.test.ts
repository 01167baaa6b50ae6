import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashSecret, createSecret, modeOfSecret } from "./secret.ts";

const random = fc.uint8Array({ minLength: 32, maxLength: 32 });
const mode = fc.constantFrom("sandbox", "live");

describe("a secret", () => {
  it("carries its environment in its prefix and has a fixed length for all random bytes", () => {
    fc.assert(
      fc.property(mode, random, (wanted, bytes) => {
        const secret = createSecret(wanted, bytes);
        expect(secret).toMatch(wanted === "live" ? /^sk_live_\w{49}$/ : /^sk_test_\w{49}$/);
        expect(modeOfSecret(secret)).toBe(wanted);
      }),
    );
  });

  it("differs for different random bytes", () => {
    fc.assert(
      fc.property(random, random, (one, other) => {
        fc.pre(Buffer.compare(one, other) !== 0);
        expect(createSecret("live", one)).not.toBe(createSecret("live", other));
      }),
    );
  });

  it("is invalid when any one character is mistyped", () => {
    const position = fc.integer({ min: 8, max: 56 });
    const character = fc.constantFrom(...Array.from("0123456789ABCDEFXYZabcdefxyz"));
    fc.assert(
      fc.property(random, position, character, (bytes, at, typed) => {
        const secret = createSecret("sandbox", bytes);
        fc.pre(secret[at] !== typed);
        expect(modeOfSecret(secret.slice(0, at) + typed + secret.slice(at + 1))).toBeNull();
      }),
    );
  });

  it.each(["", "sk_test_", "sk_live_abc", "Bearer", "sk_prod_".padEnd(57, "0")])(
    "is never the text %j",
    (text) => {
      expect(modeOfSecret(text)).toBeNull();
    },
  );

  it("cannot be created from fewer than 32 random bytes", () => {
    expect(() => createSecret("live", new Uint8Array(16))).toThrow(RangeError);
  });

  it("is hashed to 43 characters that differ for another secret", () => {
    expect(hashSecret("sk_test_x")).toMatch(/^[\w-]{43}$/);
    expect(hashSecret("sk_test_x")).not.toBe(hashSecret("sk_test_y"));
  });
});
