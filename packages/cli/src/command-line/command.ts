import type { Api } from "../api/api-client.ts";
import type { Door } from "../api/audience.ts";
import type { Location } from "../api/location.ts";
import type { Print } from "../output/printer.ts";

/** A word that must follow the command. */
interface Argument {
  readonly about: string;
  readonly optional?: true;
}

/** A flag; with `takes`, it is followed by a value. */
export interface Option {
  readonly about: string;
  readonly takes?: string;
  readonly required?: true;
}

type Arguments = Readonly<Record<string, Argument>>;
type Options = Readonly<Record<string, Option>>;

type ArgumentValue<A extends Argument> = A extends { optional: true } ? string | undefined : string;
type OptionValue<O extends Option> = O extends { takes: string }
  ? O extends { required: true }
    ? string
    : string | undefined
  : boolean;

type Given<A extends Arguments, O extends Options> = {
  readonly [name in keyof A]: ArgumentValue<A[name]>;
} & { readonly [name in keyof O]: OptionValue<O[name]> };

/** What a command works with besides what was typed. */
export interface Context {
  readonly api: Api;
  readonly print: Print;
  readonly clock: () => Date;
  /** Where it is that `api` asks. */
  readonly locate: () => Location;
  /** From now on Ctrl-C does not end the process but this signal. */
  readonly untilInterrupted: () => AbortSignal;
}

interface CommandSpec<A extends Arguments, O extends Options> {
  /** As it is typed: a noun and a verb, but for the one that looks at everything. */
  readonly name: `${string} ${string}` | "doctor";
  readonly about: string;
  readonly example: string;
  /** Asked as an operator unless it says otherwise. */
  readonly door?: Door;
  readonly args: A;
  readonly options: O;
  readonly run: (given: Given<A, O>, context: Context) => Promise<void>;
}

export type Values = Readonly<Record<string, string | boolean | undefined>>;

export interface Command extends Omit<CommandSpec<Arguments, Options>, "run"> {
  readonly run: (given: Values, context: Context) => Promise<void>;
}

/** What was typed is checked against the declaration before `run` sees it under its types. */
export function command<const A extends Arguments, const O extends Options>(
  spec: CommandSpec<A, O>,
): Command {
  return { ...spec, run: (given, context) => spec.run(given as Given<A, O>, context) };
}

export const pageOptions = {
  page: { takes: "number", about: "Which page, from 1" },
  limit: { takes: "number", about: "How many on a page, at most 100" },
} as const satisfies Options;

/** Understood by every command. */
export function commonOptions({ name, token }: Door): Options {
  return {
    json: { about: "Print records as the API shows them, and nothing else" },
    url: { takes: "url", about: `Where the ${name} is` },
    token: { takes: "token", about: `The ${token}` },
    help: { about: "Show this" },
  };
}
