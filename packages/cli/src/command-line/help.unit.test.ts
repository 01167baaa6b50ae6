import { describe, expect, it } from "vitest";
import { commands } from "../commands.ts";
import { parseArguments } from "./arguments.ts";
import { buildCommandHelp, buildOverview, buildUsage } from "./help.ts";

it("the overview lists every command, the address variables and the exit codes", () => {
  const text = buildOverview(commands).join("\n");
  for (const { name, description: about } of commands) {
    expect(text).toContain(name);
    expect(text).toContain(about);
  }
  expect(text).toContain("MALIPO_OPERATOR_URL");
  expect(text).toContain("3 the system cannot be reached");
});

describe.each(commands.map((command) => [command.name, command] as const))(
  "the help of %s",
  (name, command) => {
    it("shows usage, every flag and an example", () => {
      const text = buildCommandHelp(command).join("\n");
      expect(text).toContain(buildUsage(command));
      expect(text).toContain(command.example);
      for (const flag of [...Object.keys(command.options), "json", "url", "token"]) {
        expect(text).toContain(`--${flag}`);
      }
      expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(110);
    });

    it("has an example that is parsed as that command", () => {
      const words = command.example.match(/"[^"]*"|\S+/g) ?? [];
      expect(words[0]).toBe("malipo");
      const request = parseArguments(
        words.slice(1).map((word) => word.replaceAll('"', "")),
        commands,
      );
      expect(request).toMatchObject({ kind: "run", command: { name } });
    });
  },
);

it("no two commands have the same name", () => {
  const names = commands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
