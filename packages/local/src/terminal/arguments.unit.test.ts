import { describe, expect, test } from "vitest";
import { parseArguments, findFlagTakenByNpm } from "./arguments.ts";

describe("the flags of npm start", () => {
  test("have defaults: the API on port 8080 and the folder .local", () => {
    expect(parseArguments([])).toEqual({
      help: false,
      fresh: false,
      verbose: false,
      processes: false,
      port: 8080,
      dir: undefined,
    });
  });

  test("are all parsed, as --port=9000 and as --port 9000", () => {
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
  ])("%j is refused with a sentence", (given, sentence) => {
    expect(() => parseArguments(given)).toThrow(sentence);
  });

  test("that npm took as its own are found", () => {
    expect(findFlagTakenByNpm({ npm_config_fresh: "true" })).toBe("fresh");
    expect(findFlagTakenByNpm({ npm_config_cache: "/x" })).toBeUndefined();
  });
});
