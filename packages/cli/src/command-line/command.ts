import type { ApiClient } from "../api/api-client.ts";
import type { Audience } from "../api/audience.ts";
import type { Location } from "../api/location.ts";
import type { Printer } from "../output/printer.ts";

/** A positional argument of a command. */
interface Argument {
  readonly description: string;
  readonly optional?: true;
}

/** A flag. With `valueName` it is followed by a value, otherwise it is a switch. */
export interface Option {
  readonly description: string;
  readonly valueName?: string;
  readonly required?: true;
}

type Arguments = Readonly<Record<string, Argument>>;
type Options = Readonly<Record<string, Option>>;

type ArgumentValue<A extends Argument> = A extends { optional: true } ? string | undefined : string;
type OptionValue<O extends Option> = O extends { valueName: string }
  ? O extends { required: true }
    ? string
    : string | undefined
  : boolean;

type CommandInput<A extends Arguments, O extends Options> = {
  readonly [name in keyof A]: ArgumentValue<A[name]>;
} & { readonly [name in keyof O]: OptionValue<O[name]> };

/** The services that every command receives besides its input. */
export interface CommandContext {
  readonly api: ApiClient;
  readonly printer: Printer;
  readonly clock: () => Date;
  /** Finds the address and token that `api` uses. */
  readonly findLocation: () => Location;
  /** Returns a signal that Ctrl-C aborts. From then on Ctrl-C does not end the process. */
  readonly catchInterrupt: () => AbortSignal;
}

interface CommandDefinition<A extends Arguments, O extends Options> {
  /** The command as it is typed: a noun and a verb, except for `doctor`. */
  readonly name: `${string} ${string}` | "doctor";
  readonly description: string;
  readonly example: string;
  /** The API that the command calls; the operator API by default. */
  readonly audience?: Audience;
  readonly args: A;
  readonly options: O;
  readonly run: (input: CommandInput<A, O>, context: CommandContext) => Promise<void>;
}

export type ParsedValues = Readonly<Record<string, string | boolean | undefined>>;

export interface Command extends Omit<CommandDefinition<Arguments, Options>, "run"> {
  readonly run: (values: ParsedValues, context: CommandContext) => Promise<void>;
}

/** Gives `run` its typed input. The cast holds because `parseArguments` checks the declared names. */
export function defineCommand<const A extends Arguments, const O extends Options>(
  definition: CommandDefinition<A, O>,
): Command {
  return {
    ...definition,
    run: (values, context) => definition.run(values as CommandInput<A, O>, context),
  };
}

export const pageOptions = {
  page: { valueName: "number", description: "Which page, from 1" },
  limit: { valueName: "number", description: "How many on a page, at most 100" },
} as const satisfies Options;

/** The flags that every command accepts. */
export function commonOptions({ apiName, tokenName }: Audience): Options {
  return {
    json: { description: "Print records as the API shows them, and nothing else" },
    url: { valueName: "url", description: `Where the ${apiName} is` },
    token: { valueName: "token", description: `The ${tokenName}` },
    help: { description: "Show this" },
  };
}
