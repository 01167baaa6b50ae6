import { parseArgs } from "node:util";
import { operatorAudience } from "../api/audience.ts";
import { usageError } from "../command-error.ts";
import { findClosestMatch } from "./closest-match.ts";
import { type Command, commonOptions, type Option, type ParsedValues } from "./command.ts";

/** A parsed command line: one command with its values, or a request for help on some commands. */
export type Invocation =
  | { readonly kind: "run"; readonly command: Command; readonly values: ParsedValues }
  | { readonly kind: "help"; readonly commands: readonly Command[] };

export function parseArguments(argv: readonly string[], commands: readonly Command[]): Invocation {
  const { words, rest } = splitCommand(argv);
  const wantsHelp = words[0] === "help" || rest.includes("--help") || rest.includes("-h");
  const commandName = words.filter((word) => word !== "help").join(" ");
  const command = commands.find(({ name }) => name === commandName);
  if (wantsHelp) return { kind: "help", commands: selectCommandsForHelp(commandName, commands) };
  if (commandName === "" && rest.length > 0) parseTokens(rest, []);
  if (commandName === "") throw usageError("No command given: malipo --help lists all commands.");
  if (command === undefined) throw createUnknownCommandError(commandName, commands);
  return { kind: "run", command, values: parseCommandValues(command, rest) };
}

/** The first two positional words name the command. Common flags may stand before and between. */
function splitCommand(argv: readonly string[]): { words: string[]; rest: string[] } {
  const { tokens } = parseArgs({
    args: [...argv],
    options: toParseArgsOptions(commonOptions(operatorAudience)),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const words = tokens.filter((token) => token.kind === "positional").slice(0, 2);
  const wordIndexes = new Set(words.map(({ index }) => index));
  return {
    words: words.map(({ value }) => value),
    rest: argv.filter((_, index) => !wordIndexes.has(index)),
  };
}

function selectCommandsForHelp(
  commandName: string,
  commands: readonly Command[],
): readonly Command[] {
  const [noun] = commandName.split(" ");
  const exact = commands.filter(({ name }) => name === commandName);
  const sameNoun = commands.filter(({ name }) => name.split(" ")[0] === noun);
  if (exact.length > 0) return exact;
  return sameNoun.length > 0 ? sameNoun : commands;
}

function createUnknownCommandError(commandName: string, commands: readonly Command[]) {
  const [noun = ""] = commandName.split(" ");
  const verbs = commands.filter(({ name }) => name.startsWith(`${noun} `));
  if (commandName === noun && verbs.length > 0) {
    const choices = verbs.map(({ name }) => name.slice(noun.length + 1)).join(", ");
    return usageError(`${noun} what? One of: ${choices}.`, buildHelpHint(noun));
  }
  const suggestion = findClosestMatch(
    commandName,
    commands.map(({ name }) => name),
  );
  const question = suggestion ? ` Did you mean ${suggestion}?` : "";
  return usageError(`There is no command ${quote(commandName)}.${question}`, buildHelpHint());
}

function parseCommandValues(command: Command, rest: readonly string[]): ParsedValues {
  const hint = buildHelpHint(command.name);
  const { values, positionals } = parseTokens(rest, hint, command.options);
  const names = Object.keys(command.args);
  const unexpected = positionals[names.length];
  if (unexpected !== undefined) {
    throw usageError(`${command.name} does not expect ${quote(unexpected)}.`, hint);
  }
  for (const [index, name] of names.entries()) {
    const value = positionals[index];
    if (!value && !command.args[name]?.optional) {
      throw usageError(`${command.name} needs a <${name}>.`, hint);
    }
    values[name] = value;
  }
  for (const [name, { required, valueName }] of Object.entries(command.options)) {
    if (valueName === undefined) values[name] ??= false;
    if (required && values[name] === undefined) {
      throw usageError(`${command.name} needs --${name} <${valueName}>.`, hint);
    }
  }
  return values;
}

interface ParsedTokens {
  readonly values: Record<string, string | boolean | undefined>;
  readonly positionals: readonly string[];
}

function parseTokens(
  args: readonly string[],
  hint: readonly string[],
  commandOptions: Readonly<Record<string, Option>> = {},
): ParsedTokens {
  const options: Readonly<Record<string, Option>> = {
    ...commandOptions,
    ...commonOptions(operatorAudience),
  };
  const config = {
    options: toParseArgsOptions(options),
    allowPositionals: true,
    strict: false,
  } as const;
  const { tokens } = parseArgs({ args: [...args], ...config, tokens: true });
  const values: ParsedTokens["values"] = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw createUnknownFlagError(rawName, Object.keys(options), hint);
    if (values[name] !== undefined) throw usageError(`${rawName} is given twice.`, hint);
    values[name] = readFlagValue(option, rawName, value, inlineValue === true, hint);
  }
  return { values, positionals };
}

function readFlagValue(
  { valueName }: Option,
  flag: string,
  value: string | undefined,
  isInline: boolean,
  hint: readonly string[],
): string | true {
  if (valueName === undefined) {
    if (value !== undefined) throw usageError(`${flag} takes no value.`, hint);
    return true;
  }
  // "--name -x" is a missing value followed by a flag; "--name=-x" gives the value "-x".
  if (!value || (!isInline && value.startsWith("-"))) {
    throw usageError(`${flag} needs a value: ${flag}=<${valueName}>.`, hint);
  }
  return value;
}

function createUnknownFlagError(flag: string, known: readonly string[], hint: readonly string[]) {
  const suggestion = findClosestMatch(flag.replace(/^-+/, ""), known);
  return usageError(
    `There is no flag ${quote(flag)}.${suggestion ? ` Did you mean --${suggestion}?` : ""}`,
    hint,
  );
}

function toParseArgsOptions(options: Readonly<Record<string, Option>>) {
  return Object.fromEntries(
    Object.entries(options).map(([name, { valueName }]) => [
      name,
      { type: valueName === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  );
}

function buildHelpHint(topic = ""): string[] {
  return [`See ${["malipo", topic, "--help"].filter(Boolean).join(" ")}.`];
}

function quote(text: string): string {
  return JSON.stringify(text);
}
