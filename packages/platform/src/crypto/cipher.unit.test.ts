import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCipher, parseKeyRing } from "./cipher.ts";

const first = [1, randomBytes(32)] as const;
const second = [2, randomBytes(32)] as const;
const cipher = createCipher([first]);

describe("the cipher", () => {
  it("decrypts to the same bytes, and its ciphertext does not contain them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 500 }), (text) => {
        const sealed = cipher.encrypt(text, "record");
        expect(Buffer.from(sealed).includes(Buffer.from(text))).toBe(false);
        expect(Buffer.compare(cipher.decrypt(sealed, "record"), text)).toBe(0);
      }),
    );
  });

  it("refuses a changed ciphertext, another record and another key", () => {
    const sealed = cipher.encrypt(Buffer.from("paid"), "record");
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
    expect(() => cipher.decrypt(changed, "record")).toThrow(/authenticate/);
    expect(() => cipher.decrypt(sealed, "another")).toThrow(/authenticate/);
    expect(() => createCipher([[1, second[1]]]).decrypt(sealed, "record")).toThrow(/authenticate/);
    expect(() => cipher.decrypt(Buffer.from([2, ...sealed.slice(1)]), "record")).toThrow(/key 2/);
  });

  it("never uses an initialisation vector twice", () => {
    const ivs = Array.from({ length: 1_000 }, () =>
      Buffer.from(cipher.encrypt(Buffer.from("paid"), "record").subarray(1, 13)).toString("hex"),
    );
    expect(new Set(ivs).size).toBe(ivs.length);
  });

  it("encrypts with the newest key and decrypts with older ones", () => {
    const rotated = createCipher([second, first]);
    const old = cipher.encrypt(Buffer.from("old"), "record");
    expect(Buffer.from(rotated.decrypt(old, "record")).toString()).toBe("old");
    expect(() => cipher.decrypt(rotated.encrypt(Buffer.from("new"), "record"), "record")).toThrow(
      /key 2/,
    );
  });
});

describe("parseKeyRing", () => {
  const one = first[1].toString("base64");
  const two = second[1].toString("base64");

  it.each([
    [one, [1]],
    [`1:${one}`, [1]],
    [`2:${two},1:${one}`, [2, 1]],
  ])("reads %s", (text, ids) => {
    expect(parseKeyRing(text)?.map(([id]) => id)).toEqual(ids);
  });

  it.each(["", "short", `1:${one},1:${two}`, `0:${one}`, `256:${one}`, `2:${two},rubbish`])(
    "returns null for %j",
    (text) => expect(parseKeyRing(text)).toBeNull(),
  );
});
