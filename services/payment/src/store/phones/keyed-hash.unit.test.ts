import { expect, it } from "vitest";
import { keyedHash } from "./keyed-hash.ts";

it("the hash of a phone is that of earlier releases, and differs from that of an address", () => {
  expect(keyedHash("key", "phone")("254712345678")).toBe("tCjZseVp6dF8zj0wzDUeGpEJ");
  expect(keyedHash("key", "address")("254712345678")).not.toBe("tCjZseVp6dF8zj0wzDUeGpEJ");
});
