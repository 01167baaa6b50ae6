import { describe, expect, it } from "vitest";
import {
  parseBoolean,
  parseChoice,
  parseLimits,
  parseNumber,
  parsePlan,
  parseWholeNumber,
} from "./values.ts";

describe("parseLimits", () => {
  it("parses three whole numbers", () => {
    expect(parseLimits("50,1000,100000")).toEqual({ second: 50, minute: 1000, day: 100_000 });
    expect(parseLimits(" 1, 2, 3")).toEqual({ second: 1, minute: 2, day: 3 });
  });

  it.each(["", "1", "1,2", "1,2,3,4", "1,,3", "a,b,c", "-1,2,3", "1.5,2,3"])(
    "rejects %j",
    (text) => {
      expect(() => parseLimits(text)).toThrow("three whole numbers");
    },
  );
});

it("parseWholeNumber and parseNumber accept plain decimal numbers only", () => {
  expect(parseWholeNumber("--duedays", "014")).toBe(14);
  expect(parseNumber("--feefixed", "12.50")).toBe(12.5);
  expect(parseNumber("--feefixed", "-1")).toBe(-1);
  for (const text of ["", "1.5", "1e3", "0x10", "ten"]) {
    expect(() => parseWholeNumber("--duedays", text)).toThrow("--duedays must be a whole number.");
  }
  for (const text of ["", "1e3", ".5", "1.", "Infinity", "NaN"]) {
    expect(() => parseNumber("--feefixed", text)).toThrow("--feefixed must be a number.");
  }
});

it("parseBoolean accepts true and false only", () => {
  expect([parseBoolean("--p", "true"), parseBoolean("--p", "false")]).toEqual([true, false]);
  for (const text of ["yes", "1", "TRUE", ""])
    expect(() => parseBoolean("--p", text)).toThrow("--p");
});

it("parseChoice names the choices and suggests the closest one when the text is none of them", () => {
  expect(parsePlan("free")).toBe("free");
  expect(() => parsePlan("profesional")).toThrow("Did you mean professional?");
  expect(() => parseChoice("--x", "constructor", ["a", "b"])).toThrow("--x must be one of: a, b.");
});
