import { parseArgs } from "node:util";
import { UserError } from "./user-error.ts";

export interface Arguments {
  readonly help: boolean;
  readonly fresh: boolean;
  readonly verbose: boolean;
  readonly processes: boolean;
  readonly port: number;
  /** Undefined means `.local` in the workspace. */
  readonly dir: string | undefined;
}

const defaultPort = 8080;
const highestPort = 65_535;

const options = {
  fresh: { type: "boolean" },
  verbose: { type: "boolean" },
  processes: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  port: { type: "string" },
  dir: { type: "string" },
} as const;

export const usage = `Starts the whole system on this machine.

  npm start -- [flags]

  --port <number>  where the API listens (${defaultPort}; 0 takes any free port)
  --dir <folder>   where data, logs and addresses are stored (.local)
  --fresh          deletes the data in the folder first
  --processes      runs one process for each service, not one for all
  --verbose        shows every log line, not only problems
  --help           shows this
`;

export function parseArguments(given: readonly string[]): Arguments {
  const { tokens } = parseArgs({ args: [...given], options, strict: false, tokens: true });
  const values: { port?: string; dir?: string; flags: Set<string> } = { flags: new Set() };
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      throw new UserError(
        `"${token.value}" is not understood; write flags like this: npm start -- --port 8090.`,
      );
    }
    if (!isKnown(token.name)) {
      throw new UserError(`There is no flag ${token.rawName}; npm start -- --help shows them.`);
    }
    if (options[token.name].type === "boolean") {
      if (token.value !== undefined) throw new UserError(`${token.rawName} takes no value.`);
      values.flags.add(token.name);
    } else {
      if (!token.value) throw new UserError(`${token.rawName} needs a value.`);
      values[token.name as "port" | "dir"] = token.value;
    }
  }
  return {
    help: values.flags.has("help"),
    fresh: values.flags.has("fresh"),
    verbose: values.flags.has("verbose"),
    processes: values.flags.has("processes"),
    port: values.port === undefined ? defaultPort : parsePort(values.port),
    dir: values.dir,
  };
}

function isKnown(name: string): name is keyof typeof options {
  return Object.hasOwn(options, name);
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= highestPort)) {
    throw new UserError(`--port needs a number from 0 to ${highestPort}, not "${text}".`);
  }
  return port;
}

/** npm takes flags that are not behind "--" as its own. Without this check they would be ignored silently. */
export function findFlagTakenByNpm(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return ["fresh", "port", "dir", "processes"].find(
    (name) => environment[`npm_config_${name}`] !== undefined,
  );
}
