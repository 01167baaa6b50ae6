import { type Audience, businessAudience, operatorAudience } from "../api/audience.ts";
import { alignColumns } from "../output/table.ts";
import { type Command, commonOptions, type Option } from "./command.ts";

function describeLocation({ env }: Audience): string[] {
  return [
    `Where the system is: --url and --token, else ${env.url} and ${env.token},`,
    "else the local system of this workspace (npm start).",
  ];
}

const exitCodeLines = [
  "Exit codes: 0 success, 1 refused by the API, 2 usage error, 3 the system cannot be reached.",
];

export function buildCommandHelp(command: Command): string[] {
  const audience = command.audience ?? operatorAudience;
  const options = { ...command.options, ...commonOptions(audience) };
  return [
    `${command.description}.`,
    "",
    "Usage",
    `  ${buildUsage(command)}`,
    "",
    ...(Object.keys(command.args).length > 0 ? [...buildArgumentLines(command), ""] : []),
    "Flags",
    ...indent(
      Object.entries(options).map(([name, option]) => [
        buildFlag(name, option),
        option.description,
      ]),
    ),
    "",
    "Example",
    `  ${command.example}`,
    "",
    ...describeLocation(audience),
  ];
}

export function buildOverview(commands: readonly Command[]): string[] {
  return [
    "malipo: the operator's command line",
    "",
    "Usage",
    "  malipo <command> [flags]",
    "",
    "Commands",
    ...indent(commands.map((command) => [buildSynopsis(command), command.description])),
    "",
    "Flags of every command",
    ...indent(
      Object.entries(commonOptions(operatorAudience)).map(([name, option]) => [
        buildFlag(name, option),
        option.description,
      ]),
    ),
    "",
    ...describeLocation(operatorAudience),
    `webhook listen calls the API of one business: ${businessAudience.env.url} and ${businessAudience.env.token}.`,
    "",
    ...exitCodeLines,
    "",
    "malipo <command> --help shows its flags and an example.",
  ];
}

/** The usage line of a command with more flags says [flags] instead. */
const flagsShownMax = 3;

export function buildUsage(command: Command): string {
  const flags = Object.entries(command.options).map(([name, option]) =>
    option.required ? buildFlag(name, option) : `[${buildFlag(name, option)}]`,
  );
  const shown = flags.length > flagsShownMax ? ["[flags]"] : flags;
  return ["malipo", buildSynopsis(command), ...shown].join(" ");
}

function buildSynopsis({ name, args }: Command): string {
  const words = Object.entries(args).map(([word, { optional }]) =>
    optional ? `[<${word}>]` : `<${word}>`,
  );
  return [name, ...words].join(" ");
}

function buildArgumentLines({ args }: Command): string[] {
  const lines = Object.entries(args).map(([name, { description }]) => [`<${name}>`, description]);
  return ["Arguments", ...indent(lines)];
}

function buildFlag(name: string, { valueName }: Option): string {
  return valueName === undefined ? `--${name}` : `--${name} <${valueName}>`;
}

function indent(lines: readonly (readonly string[])[]): string[] {
  return alignColumns(lines).map((line) => `  ${line}`);
}
