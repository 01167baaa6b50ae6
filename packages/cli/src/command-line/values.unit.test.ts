import { describe, expect, it } from "vitest";
import {
  parseChoice,
  parseLimits,
  parseNumber,
  parsePlan,
  parseTruth,
  parseWholeNumber,
} from "./values.ts";

describe("limits", () => {
  it("are three whole numbers", () => {
    expect(parseLimits("50,1000,100000")).toEqual({ second: 50, minute: 1000, day: 100_000 });
    expect(parseLimits(" 1, 2, 3")).toEqual({ second: 1, minute: 2, day: 3 });
  });

  it.each(["", "1", "1,2", "1,2,3,4", "1,,3", "a,b,c", "-1,2,3", "1.5,2,3"])(
    "%j are none",
    (text) => {
      expect(() => parseLimits(text)).toThrow("three whole numbers");
    },
  );
});

it("reads numbers as a person writes them", () => {
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

it("takes true and false for truth, and nothing else", () => {
  expect([parseTruth("--p", "true"), parseTruth("--p", "false")]).toEqual([true, false]);
  for (const text of ["yes", "1", "TRUE", ""]) expect(() => parseTruth("--p", text)).toThrow("--p");
});

it("names the choices there are, and the one that was probably meant", () => {
  expect(parsePlan("free")).toBe("free");
  expect(() => parsePlan("profesional")).toThrow("Did you mean professional?");
  expect(() => parseChoice("--x", "constructor", ["a", "b"])).toThrow("--x must be one of: a, b.");
});
