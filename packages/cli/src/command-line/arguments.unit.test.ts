import { describe, expect, it } from "vitest";
import { CommandError } from "../command-error.ts";
import { commands } from "../commands.ts";
import { parseArguments } from "./arguments.ts";

function parse(line: string) {
  return parseArguments(line.split(" ").filter(Boolean), commands);
}

function parseValues(line: string) {
  const request = parse(line);
  if (request.kind !== "run") throw new Error("no command to run");
  return { name: request.command.name, ...request.values };
}

function listHelpTopics(line: string) {
  const request = parse(line);
  return request.kind === "help" && request.commands.map(({ name }) => name);
}

describe("a command line", () => {
  it("has a command, its arguments and its flags in any order", () => {
    const expected = { name: "key rotate", keyid: "abc", overlap: "7d", json: true };
    expect(parseValues("key rotate abc --overlap 7d --json")).toEqual(expected);
    expect(parseValues("--json key rotate --overlap=7d abc")).toEqual(expected);
    expect(parseValues("--json key --overlap=7d rotate abc")).toEqual(expected);
  });

  it("accepts common flags before the command", () => {
    expect(parseValues("--url http://x --token t business list")).toEqual({
      name: "business list",
      url: "http://x",
      token: "t",
    });
  });

  it("accepts a value that begins with a dash only after = or --", () => {
    expect(parseValues("business set abc --displayname=-x")).toMatchObject({ displayname: "-x" });
    expect(() => parse("business set abc --displayname --json")).toThrow(
      "--displayname needs a value",
    );
    expect(parseValues("dead replay -- 5")).toMatchObject({ seq: "5", all: false });
  });

  it.each([
    ["", "No command given: malipo --help lists all commands."],
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
  ])("%j is a usage error", (line, sentence) => {
    const usageError = expect.objectContaining({ kind: "usage", message: sentence });
    expect(() => parse(line)).toThrow(CommandError);
    expect(() => parse(line)).toThrow(usageError);
  });

  it("with an empty argument is a usage error", () => {
    expect(() => parseArguments(["key", "issue", ""], commands)).toThrow("needs a <businessid>");
  });
});

describe("a request for help", () => {
  it("covers one command, the commands of a noun, or all commands", () => {
    expect(listHelpTopics("key issue --help")).toEqual(["key issue"]);
    expect(listHelpTopics("key issue -h")).toEqual(["key issue"]);
    expect(listHelpTopics("--help key issue")).toEqual(["key issue"]);
    expect(listHelpTopics("dead --help")).toEqual(["dead list", "dead replay"]);
    expect(listHelpTopics("help dead")).toEqual(["dead list", "dead replay"]);
    expect(listHelpTopics("--help")).toHaveLength(commands.length);
    expect(listHelpTopics("help")).toHaveLength(commands.length);
    expect(listHelpTopics("nonsense --help")).toHaveLength(commands.length);
  });
});
