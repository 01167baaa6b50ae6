import { describe, expect, test } from "vitest";
import { parseCommand } from "./arguments.ts";

const parse = (...args: string[]) => parseCommand(args, ["product-details", "embedded-mongo"]);

describe("parseCommand", () => {
  test("returns help for --help, and when no path is given", () => {
    expect(parse()).toEqual({ kind: "help" });
    expect(parse("--help")).toEqual({ kind: "help" });
    expect(parse("embedded-mongo", "-h")).toEqual({ kind: "help" });
  });

  test("returns the path, and leaves options that are not given undefined", () => {
    expect(parse("embedded-mongo")).toEqual({
      kind: "run",
      path: "embedded-mongo",
      options: { quick: false, json: false },
    });
  });

  test("reads every option", () => {
    const args = ["--rounds", "3", "--seconds=0.5", "--connections", "8", "--quick", "--json"];
    expect(parse("product-details", ...args)).toEqual({
      kind: "run",
      path: "product-details",
      options: { rounds: 3, seconds: 0.5, connections: 8, quick: true, json: true },
    });
  });

  test.each([
    [["nonsense"], "Choose one path to measure: product-details or embedded-mongo."],
    [["product-details", "embedded-mongo"], "Choose one path"],
    [["embedded-mongo", "--rounds", "0"], "--rounds wants a whole number from 1 to 100"],
    [["embedded-mongo", "--rounds", "1.5"], "--rounds wants a whole number"],
    [["embedded-mongo", "--rounds", ""], "--rounds wants a whole number"],
    [
      ["embedded-mongo", "--seconds", "soon"],
      '--seconds wants a number from 0.1 to 600, not "soon"',
    ],
    [["embedded-mongo", "--connections", "1e9"], "--connections wants"],
    [["embedded-mongo", "--speed", "9"], "--speed"],
  ])("refuses %j in one sentence", (args, problem) => {
    const command = parse(...args);
    expect(command.kind).toBe("invalid");
    expect(command.kind === "invalid" && command.problem).toContain(problem);
  });
});
