import { describe, expect, it } from "vitest";
import { createCallbackToken, verifyCallbackToken } from "./callback-token.ts";

const id = "6743f1b2c9e8a45d3f0b7c21";
const key = "a-key-of-at-least-thirty-two-characters";

describe("a callback token", () => {
  it("returns its transaction when the key matches", () => {
    expect(verifyCallbackToken(createCallbackToken(id, key), [key])).toBe(id);
  });

  it("stays valid when a newer key is put in front of its own", () => {
    expect(verifyCallbackToken(createCallbackToken(id, key), ["a newer key", key])).toBe(id);
  });

  it("is rejected when it is forged, changed or moved to another transaction", () => {
    const token = createCallbackToken(id, key);
    const other = "6743f1b2c9e8a45d3f0b7c22";
    for (const forged of [
      "",
      id,
      token.slice(0, -1),
      `${token}0`,
      other + token.slice(24),
      createCallbackToken(id, "another key"),
      token.toUpperCase(),
    ]) {
      expect(verifyCallbackToken(forged, [key])).toBeNull();
    }
  });
});
