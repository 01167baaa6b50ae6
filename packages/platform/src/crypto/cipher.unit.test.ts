import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCipher, parseKeyRing } from "./cipher.ts";

const first = [1, randomBytes(32)] as const;
const second = [2, randomBytes(32)] as const;
const cipher = createCipher([first]);

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
    expect(() => createCipher([[1, second[1]]]).decrypt(sealed, "record")).toThrow(/authenticate/);
    expect(() => cipher.decrypt(Buffer.from([2, ...sealed.slice(1)]), "record")).toThrow(/key 2/);
  });

  it("never seals twice with the same beginnings", () => {
    const ivs = Array.from({ length: 1_000 }, () =>
      Buffer.from(cipher.encrypt(Buffer.from("paid"), "record").subarray(1, 13)).toString("hex"),
    );
    expect(new Set(ivs).size).toBe(ivs.length);
  });

  it("seals with the newest key and still opens what an older one sealed", () => {
    const rotated = createCipher([second, first]);
    const old = cipher.encrypt(Buffer.from("old"), "record");
    expect(Buffer.from(rotated.decrypt(old, "record")).toString()).toBe("old");
    expect(() => cipher.decrypt(rotated.encrypt(Buffer.from("new"), "record"), "record")).toThrow(
      /key 2/,
    );
  });
});

describe("the keys in the environment", () => {
  const one = first[1].toString("base64");
  const two = second[1].toString("base64");

  it.each([
    [one, [1]],
    [`1:${one}`, [1]],
    [`2:${two},1:${one}`, [2, 1]],
  ])("are read from %s", (text, ids) => {
    expect(parseKeyRing(text)?.map(([id]) => id)).toEqual(ids);
  });

  it.each(["", "short", `1:${one},1:${two}`, `0:${one}`, `256:${one}`, `2:${two},rubbish`])(
    "are refused in %s",
    (text) => expect(parseKeyRing(text)).toBeNull(),
  );
});
