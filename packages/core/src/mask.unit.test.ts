import { describe, expect, it } from "vitest";
import { maskEmail, maskPhone } from "./mask.ts";

describe("a mask", () => {
  it("leaves of a phone what its owner knows it by", () => {
    expect(maskPhone("254712345678")).toBe("2547•••••678");
  });

  it.each([
    ["asha@example.co.ke", "a•••@example.co.ke"],
    ["a@b.ke", "a•••@b.ke"],
    ['"a@b"@c.ke', '"•••@c.ke'],
    ["🦁lion@b.ke", "🦁•••@b.ke"],
  ])("leaves of %s the first character and the domain", (email, masked) => {
    expect(maskEmail(email)).toBe(masked);
  });
});
