import { describe, expect, test } from "vitest";
import { parseArguments, swallowedFlag } from "./arguments.ts";

describe("flags", () => {
  test("without any, the API is on 8080 and everything is kept in the usual folder", () => {
    expect(parseArguments([])).toEqual({
      help: false,
      fresh: false,
      verbose: false,
      processes: false,
      port: 8080,
      dir: undefined,
    });
  });

  test("all of them, in both spellings", () => {
    const given = ["--port=9000", "--dir", "/tmp/x", "--fresh", "--verbose", "--processes", "-h"];
    expect(parseArguments(given)).toEqual({
      help: true,
      fresh: true,
      verbose: true,
      processes: true,
      port: 9000,
      dir: "/tmp/x",
    });
  });

  test.each([
    [["--prot", "9000"], "There is no flag --prot"],
    [["--__proto__"], "There is no flag --__proto__"],
    [["9000"], '"9000" is not understood'],
    [["--port"], "--port needs a value"],
    [["--port", "--fresh"], 'not "--fresh"'],
    [["--port="], "--port needs a value"],
    [["--port", "http"], 'not "http"'],
    [["--port", "65536"], 'not "65536"'],
    [["--port", "-1"], 'not "-1"'],
    [["--port", "8080.5"], 'not "8080.5"'],
    [["--fresh=no"], "--fresh takes no value"],
    [["--dir="], "--dir needs a value"],
  ])("%j is refused in one sentence", (given, sentence) => {
    expect(() => parseArguments(given)).toThrow(sentence);
  });

  test("a flag that npm kept to itself is noticed", () => {
    expect(swallowedFlag({ npm_config_fresh: "true" })).toBe("fresh");
    expect(swallowedFlag({ npm_config_cache: "/x" })).toBeUndefined();
  });
});
