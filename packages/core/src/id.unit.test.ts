import { describe, expect, it } from "vitest";
import { parseId } from "./id.ts";

describe("parseId", () => {
  it("accepts 24 hexadecimal characters and returns them in lower case", () => {
    expect(parseId("507F1F77bcf86cd799439011")).toBe("507f1f77bcf86cd799439011");
  });

  it.each([
    "",
    "507f1f77bcf86cd79943901",
    "507f1f77bcf86cd7994390111",
    "507f1f77bcf86cd79943901g",
    "507f1f77bcf86cd799439011\n",
  ])("refuses %j", (text) => {
    expect(parseId(text)).toBeNull();
  });
});
