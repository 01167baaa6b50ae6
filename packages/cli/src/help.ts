import { type Command, commonOptions, type Option } from "./command.ts";
import { aligned } from "./table.ts";

const whereItIs = [
  "Where the system is: --url and --token, else MALIPO_OPERATOR_URL and MALIPO_OPERATOR_TOKEN,",
  "else the local system of this workspace (npm start).",
];

const endings = [
  "Exit codes: 0 success, 1 refused by the API, 2 usage error, 3 the system cannot be reached.",
];

export function commandHelp(command: Command): string[] {
  const options = { ...command.options, ...commonOptions };
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
      Object.entries(commonOptions).map(([name, option]) => [flag(name, option), option.about]),
    ),
    "",
    ...whereItIs,
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
