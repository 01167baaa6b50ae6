import { type Command, commonOptions, type Option } from "./command.ts";
import { businessDoor, type Door, operatorDoor } from "../api/audience.ts";
import { aligned } from "../output/table.ts";

function whereItIs({ env }: Door): string[] {
  return [
    `Where the system is: --url and --token, else ${env.url} and ${env.token},`,
    "else the local system of this workspace (npm start).",
  ];
}

const endings = [
  "Exit codes: 0 success, 1 refused by the API, 2 usage error, 3 the system cannot be reached.",
];

export function commandHelp(command: Command): string[] {
  const door = command.door ?? operatorDoor;
  const options = { ...command.options, ...commonOptions(door) };
  return [
    `${command.about}.`,
    "",
    "Usage",
    `  ${usage(command)}`,
    "",
    ...(Object.keys(command.args).length > 0 ? [...argumentLines(command), ""] : []),
    "Flags",
    ...indented(
      Object.entries(options).map(([name, option]) => [flag(name, option), option.about]),
    ),
    "",
    "Example",
    `  ${command.example}`,
    "",
    ...whereItIs(door),
  ];
}

export function overview(commands: readonly Command[]): string[] {
  return [
    "malipo: the operator's command line",
    "",
    "Usage",
    "  malipo <command> [flags]",
    "",
    "Commands",
    ...indented(commands.map((command) => [head(command), command.about])),
    "",
    "Flags of every command",
    ...indented(
      Object.entries(commonOptions(operatorDoor)).map(([name, option]) => [
        flag(name, option),
        option.about,
      ]),
    ),
    "",
    ...whereItIs(operatorDoor),
    `webhook listen asks as a business: ${businessDoor.env.url} and ${businessDoor.env.token}.`,
    "",
    ...endings,
    "",
    "malipo <command> --help shows its flags and an example.",
  ];
}

const flagsShownMax = 3;

export function usage(command: Command): string {
  const flags = Object.entries(command.options).map(([name, option]) =>
    option.required ? flag(name, option) : `[${flag(name, option)}]`,
  );
  const shown = flags.length > flagsShownMax ? ["[flags]"] : flags;
  return ["malipo", head(command), ...shown].join(" ");
}

function head({ name, args }: Command): string {
  const words = Object.entries(args).map(([word, { optional }]) =>
    optional ? `[<${word}>]` : `<${word}>`,
  );
  return [name, ...words].join(" ");
}

function argumentLines({ args }: Command): string[] {
  const lines = Object.entries(args).map(([name, { about }]) => [`<${name}>`, about]);
  return ["Arguments", ...indented(lines)];
}

function flag(name: string, { takes }: Option): string {
  return takes === undefined ? `--${name}` : `--${name} <${takes}>`;
}

function indented(lines: readonly (readonly string[])[]): string[] {
  return aligned(lines).map((line) => `  ${line}`);
}
