import { parseArgs } from "node:util";

/** The settings of a run. Each path has its own defaults for the first three. */
export type Options = {
  readonly rounds?: number;
  readonly seconds?: number;
  readonly connections?: number;
  readonly quick: boolean;
  readonly json: boolean;
};

export type Command =
  | { readonly kind: "help" }
  | { readonly kind: "run"; readonly path: string; readonly options: Options }
  | { readonly kind: "invalid"; readonly problem: string };

const limits = {
  rounds: { min: 1, max: 100 },
  seconds: { min: 0.1, max: 600 },
  connections: { min: 1, max: 10_000 },
} as const;

type Bounded = keyof typeof limits;

export function parseCommand(args: readonly string[], pathNames: readonly string[]): Command {
  const read = readArguments(args);
  if (typeof read === "string") return { kind: "invalid", problem: read };
  const { values, positionals } = read;
  if (values.help === true || positionals.length === 0) return { kind: "help" };
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0 || !pathNames.includes(path)) {
    const choices = pathNames.join(" or ");
    return { kind: "invalid", problem: `Choose one path to measure: ${choices}.` };
  }
  const numbers: { [name in Bounded]?: number } = {};
  for (const name of ["rounds", "seconds", "connections"] as const) {
    const text = values[name];
    if (text === undefined) continue;
    const value = boundedNumber(name, text);
    if (typeof value === "string") return { kind: "invalid", problem: value };
    numbers[name] = value;
  }
  return {
    kind: "run",
    path,
    options: {
      ...numbers,
      quick: values.quick === true,
      json: values.json === true,
    },
  };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        rounds: { type: "string" },
        seconds: { type: "string" },
        connections: { type: "string" },
        quick: { type: "boolean" },
        json: { type: "boolean" },
      },
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function boundedNumber(name: Bounded, text: string): number | string {
  const { min, max } = limits[name];
  const value = Number(text);
  const isWhole = name === "seconds" || Number.isInteger(value);
  if (text.trim() !== "" && isWhole && value >= min && value <= max) return value;
  const kind = name === "seconds" ? "a number" : "a whole number";
  return `--${name} wants ${kind} from ${min} to ${max}, not "${text}".`;
}
