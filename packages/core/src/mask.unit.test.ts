import { describe, expect, it } from "vitest";
import { maskEmail, maskPhone } from "./mask.ts";

describe("masks", () => {
  it("maskPhone shows the first four and the last three digits", () => {
    expect(maskPhone("254712345678")).toBe("2547•••••678");
  });

  it.each([
    ["asha@example.co.ke", "a•••@example.co.ke"],
    ["a@b.ke", "a•••@b.ke"],
    ['"a@b"@c.ke', '"•••@c.ke'],
    ["🦁lion@b.ke", "🦁•••@b.ke"],
  ])("maskEmail shows the first character and the domain of %s", (email, masked) => {
    expect(maskEmail(email)).toBe(masked);
  });
});
