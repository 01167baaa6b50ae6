import { describe, expect, it } from "vitest";
import { readArguments } from "./arguments.ts";
import { commands } from "../commands.ts";
import { Problem } from "../command-error.ts";

function read(line: string) {
  return readArguments(line.split(" ").filter(Boolean), commands);
}

function valuesOf(line: string) {
  const request = read(line);
  if (request.kind !== "run") throw new Error("no command to run");
  return { name: request.command.name, ...request.values };
}

function helpFor(line: string) {
  const request = read(line);
  return request.kind === "help" && request.commands.map(({ name }) => name);
}

describe("what was typed", () => {
  it("is a command, its arguments and its flags, in any order", () => {
    const expected = { name: "key rotate", keyid: "abc", overlap: "7d", json: true };
    expect(valuesOf("key rotate abc --overlap 7d --json")).toEqual(expected);
    expect(valuesOf("--json key rotate --overlap=7d abc")).toEqual(expected);
    expect(valuesOf("--json key --overlap=7d rotate abc")).toEqual(expected);
  });

  it("may hold common flags before the command", () => {
    expect(valuesOf("--url http://x --token t business list")).toEqual({
      name: "business list",
      url: "http://x",
      token: "t",
    });
  });

  it("takes what begins with a dash only where it cannot be a flag", () => {
    expect(valuesOf("business set abc --displayname=-x")).toMatchObject({ displayname: "-x" });
    expect(() => read("business set abc --displayname --json")).toThrow(
      "--displayname needs a value",
    );
    expect(valuesOf("dead replay -- 5")).toMatchObject({ seq: "5", all: false });
  });

  it.each([
    ["", "Say what to do: malipo --help lists all commands."],
    ["--jsno", 'There is no flag "--jsno". Did you mean --json?'],
    ["busness list", 'There is no command "busness list". Did you mean business list?'],
    ["frobnicate", 'There is no command "frobnicate".'],
    ["constructor toString", 'There is no command "constructor toString".'],
    ["key", "key what? One of: issue, list, rotate, revoke."],
    ["key isue abc", 'There is no command "key isue". Did you mean key issue?'],
    ["key issue", "key issue needs a <businessid>."],
    ["key issue a b", 'key issue does not expect "b".'],
    ["key issue a --overlap 1h", 'There is no flag "--overlap".'],
    ["key issue a --constructor", 'There is no flag "--constructor".'],
    ["key issue a --json=yes", "--json takes no value."],
    ["key rotate a --overlap", "--overlap needs a value: --overlap=<duration>."],
    ["key rotate a --overlap 1h --overlap 2h", "--overlap is given twice."],
    ["business create --plan free", "business create needs --name <name>."],
    ["business create --plan= --name x", "--plan needs a value: --plan=<plan>."],
  ])("%j is refused", (line, sentence) => {
    const refusal = expect.objectContaining({ kind: "usage", message: sentence });
    expect(() => read(line)).toThrow(Problem);
    expect(() => read(line)).toThrow(refusal);
  });

  it("refuses an empty argument", () => {
    expect(() => readArguments(["key", "issue", ""], commands)).toThrow("needs a <businessid>");
  });
});

describe("a wish for help", () => {
  it("is about one command, a noun's, or all", () => {
    expect(helpFor("key issue --help")).toEqual(["key issue"]);
    expect(helpFor("key issue -h")).toEqual(["key issue"]);
    expect(helpFor("--help key issue")).toEqual(["key issue"]);
    expect(helpFor("dead --help")).toEqual(["dead list", "dead replay"]);
    expect(helpFor("help dead")).toEqual(["dead list", "dead replay"]);
    expect(helpFor("--help")).toHaveLength(commands.length);
    expect(helpFor("help")).toHaveLength(commands.length);
    expect(helpFor("nonsense --help")).toHaveLength(commands.length);
  });
});
