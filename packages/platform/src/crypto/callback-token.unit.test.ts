import { describe, expect, it } from "vitest";
import { callbackToken, transactionOfToken } from "./callback-token.ts";

const id = "6743f1b2c9e8a45d3f0b7c21";
const key = "a-key-of-at-least-thirty-two-characters";

describe("a callback's token", () => {
  it("names its transaction to whoever has the key", () => {
    expect(transactionOfToken(callbackToken(id, key), [key])).toBe(id);
  });

  it("outlives its key's place as the newest", () => {
    expect(transactionOfToken(callbackToken(id, key), ["a newer key", key])).toBe(id);
  });

  it("cannot be made without the key, nor moved to another transaction", () => {
    const token = callbackToken(id, key);
    const other = "6743f1b2c9e8a45d3f0b7c22";
    for (const forged of [
      "",
      id,
      token.slice(0, -1),
      `${token}0`,
      other + token.slice(24),
      callbackToken(id, "another key"),
      token.toUpperCase(),
    ]) {
      expect(transactionOfToken(forged, [key])).toBeNull();
    }
  });
});
