import { describe, expect, it } from "vitest";
import { readArguments } from "./arguments.ts";
import { commands } from "../commands.ts";
import { commandHelp, overview, usage } from "./help.ts";

it("lists every command, and says where the system is and how a run ends", () => {
  const text = overview(commands).join("\n");
  for (const { name, about } of commands) {
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
      const text = commandHelp(command).join("\n");
      expect(text).toContain(usage(command));
      expect(text).toContain(command.example);
      for (const flag of [...Object.keys(command.options), "json", "url", "token"]) {
        expect(text).toContain(`--${flag}`);
      }
      expect(Math.max(...text.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(110);
    });

    it("has an example that is understood as that command", () => {
      const words = command.example.match(/"[^"]*"|\S+/g) ?? [];
      expect(words[0]).toBe("malipo");
      const request = readArguments(
        words.slice(1).map((word) => word.replaceAll('"', "")),
        commands,
      );
      expect(request).toMatchObject({ kind: "run", command: { name } });
    });
  },
);

it("has one command for each name", () => {
  const names = commands.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
