import { parseArgs } from "node:util";
import { type Command, commonOptions, type Option, type Values } from "./command.ts";
import { operatorDoor } from "../api/audience.ts";
import { nearest } from "./closest-match.ts";
import { usageProblem } from "../command-error.ts";

/** What was typed: a command with its values, or a wish for help about one, some or all. */
export type Request =
  | { readonly kind: "run"; readonly command: Command; readonly values: Values }
  | { readonly kind: "help"; readonly commands: readonly Command[] };

export function readArguments(argv: readonly string[], commands: readonly Command[]): Request {
  const { words, rest } = splitOffCommand(argv);
  const wantsHelp = words[0] === "help" || rest.includes("--help") || rest.includes("-h");
  const named = words.filter((word) => word !== "help").join(" ");
  const command = commands.find(({ name }) => name === named);
  if (wantsHelp) return { kind: "help", commands: aboutWhich(named, commands) };
  if (named === "" && rest.length > 0) readValues(rest, []);
  if (named === "") throw usageProblem("Say what to do: malipo --help lists all commands.");
  if (command === undefined) throw unknownCommand(named, commands);
  return { kind: "run", command, values: readCommandLine(command, rest) };
}

/** The first two words name the command, wherever common flags stand. */
function splitOffCommand(argv: readonly string[]): { words: string[]; rest: string[] } {
  const { tokens } = parseArgs({
    args: [...argv],
    options: parseOptions(commonOptions(operatorDoor)),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const words = tokens.filter((token) => token.kind === "positional").slice(0, 2);
  const places = new Set(words.map(({ index }) => index));
  return {
    words: words.map(({ value }) => value),
    rest: argv.filter((_, index) => !places.has(index)),
  };
}

function aboutWhich(named: string, commands: readonly Command[]): readonly Command[] {
  const [noun] = named.split(" ");
  const exact = commands.filter(({ name }) => name === named);
  const sameNoun = commands.filter(({ name }) => name.split(" ")[0] === noun);
  if (exact.length > 0) return exact;
  return sameNoun.length > 0 ? sameNoun : commands;
}

function unknownCommand(named: string, commands: readonly Command[]) {
  const [noun = ""] = named.split(" ");
  const verbs = commands.filter(({ name }) => name.startsWith(`${noun} `));
  if (named === noun && verbs.length > 0) {
    const choices = verbs.map(({ name }) => name.slice(noun.length + 1)).join(", ");
    return usageProblem(`${noun} what? One of: ${choices}.`, seeHelp(noun));
  }
  const meant = nearest(
    named,
    commands.map(({ name }) => name),
  );
  const question = meant ? ` Did you mean ${meant}?` : "";
  return usageProblem(`There is no command ${quoted(named)}.${question}`, seeHelp());
}

function readCommandLine(command: Command, rest: readonly string[]): Values {
  const see = seeHelp(command.name);
  const { values, positionals } = readValues(rest, see, command.options);
  const names = Object.keys(command.args);
  const surplus = positionals[names.length];
  if (surplus !== undefined) {
    throw usageProblem(`${command.name} does not expect ${quoted(surplus)}.`, see);
  }
  for (const [index, name] of names.entries()) {
    const value = positionals[index];
    if (!value && !command.args[name]?.optional) {
      throw usageProblem(`${command.name} needs a <${name}>.`, see);
    }
    values[name] = value;
  }
  for (const [name, { required, takes }] of Object.entries(command.options)) {
    if (takes === undefined) values[name] ??= false;
    if (required && values[name] === undefined) {
      throw usageProblem(`${command.name} needs --${name} <${takes}>.`, see);
    }
  }
  return values;
}

interface Read {
  readonly values: Record<string, string | boolean | undefined>;
  readonly positionals: readonly string[];
}

function readValues(
  args: readonly string[],
  see: readonly string[],
  own: Readonly<Record<string, Option>> = {},
): Read {
  const options: Readonly<Record<string, Option>> = { ...own, ...commonOptions(operatorDoor) };
  const config = { options: parseOptions(options), allowPositionals: true, strict: false } as const;
  const { tokens } = parseArgs({ args: [...args], ...config, tokens: true });
  const values: Read["values"] = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw unknownFlag(rawName, Object.keys(options), see);
    if (values[name] !== undefined) throw usageProblem(`${rawName} is given twice.`, see);
    values[name] = valueOf(option, rawName, value, inlineValue === true, see);
  }
  return { values, positionals };
}

function valueOf(
  { takes }: Option,
  flag: string,
  value: string | undefined,
  isInline: boolean,
  see: readonly string[],
): string | true {
  if (takes === undefined) {
    if (value !== undefined) throw usageProblem(`${flag} takes no value.`, see);
    return true;
  }
  // Not another flag in its place, unless it is written so that it cannot be one.
  if (!value || (!isInline && value.startsWith("-"))) {
    throw usageProblem(`${flag} needs a value: ${flag}=<${takes}>.`, see);
  }
  return value;
}

function unknownFlag(flag: string, known: readonly string[], see: readonly string[]) {
  const meant = nearest(flag.replace(/^-+/, ""), known);
  return usageProblem(
    `There is no flag ${quoted(flag)}.${meant ? ` Did you mean --${meant}?` : ""}`,
    see,
  );
}

function parseOptions(options: Readonly<Record<string, Option>>) {
  return Object.fromEntries(
    Object.entries(options).map(([name, { takes }]) => [
      name,
      { type: takes === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  );
}

function seeHelp(about = ""): string[] {
  return [`See ${["malipo", about, "--help"].filter(Boolean).join(" ")}.`];
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
