import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCipher } from "./cipher.ts";

const cipher = createCipher(randomBytes(32));

describe("the cipher", () => {
  it("gives back byte for byte what it was given, and shows none of it", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 500 }), (text) => {
        const sealed = cipher.encrypt(text, "record");
        expect(Buffer.from(sealed).includes(Buffer.from(text))).toBe(false);
        expect(Buffer.compare(cipher.decrypt(sealed, "record"), text)).toBe(0);
      }),
    );
  });

  it("opens only whole, only for its own record, and only with its own key", () => {
    const sealed = cipher.encrypt(Buffer.from("paid"), "record");
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
    expect(() => cipher.decrypt(changed, "record")).toThrow(/authenticate/);
    expect(() => cipher.decrypt(sealed, "another")).toThrow(/authenticate/);
    expect(() => createCipher(randomBytes(32)).decrypt(sealed, "record")).toThrow(/authenticate/);
    expect(() => cipher.decrypt(Buffer.from([2, ...sealed.slice(1)]), "record")).toThrow(
      /version 2/,
    );
  });
});
