import { randomBytes } from "node:crypto";
import { createCipher } from "@malipo/platform";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCursors } from "./cursors.ts";

const cipher = createCipher([[1, randomBytes(32)]]);
const cursors = createCursors(cipher, "epoch-1");

function withLastByteChanged(cursor: string): string {
  const bytes = Buffer.from(cursor, "base64url");
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return bytes.toString("base64url");
}

describe("a cursor", () => {
  it("opens to its position, and does not show it", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (position) => {
        const cursor = cursors.write("business-1", position);
        expect(cursor).toMatch(/^[\w-]{1,200}$/);
        expect(cursors.read("business-1", cursor)).toBe(position);
        expect(cursors.write("business-1", position)).not.toBe(cursor);
      }),
    );
  });

  it("is refused for another business, for another log, and when it was changed", () => {
    const cursor = cursors.write("business-1", 42);
    expect(cursors.read("business-2", cursor)).toBeUndefined();
    expect(createCursors(cipher, "epoch-2").read("business-1", cursor)).toBeUndefined();
    for (const wrong of ["", "42", "AAAA", cursor.slice(1), withLastByteChanged(cursor), "ü"]) {
      expect(cursors.read("business-1", wrong)).toBeUndefined();
    }
  });
});
