import { MongoError } from "../../errors.ts";
import { type Document, fieldName, isDocument } from "../values/document.ts";
import { type BsonNumber, isNumber, toDouble } from "../values/numbers/numbers.ts";
import { shellText } from "../values/shell-text.ts";
import { typeName } from "../values/types.ts";

/** The environment in which an expression is evaluated. */
export type Environment = {
  readonly root: unknown;
  readonly now: Date;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Throws if the command has exceeded its time limit. */
  readonly checkTime?: (() => void) | undefined;
};

export type Evaluate = (environment: Environment) => unknown;

/** The names of the variables that an expression can use. */
export type Scope = { readonly variables: ReadonlySet<string> };

export type Compile = (expression: unknown, scope: Scope) => Evaluate;

export type CompileOperator = (
  name: string,
  operand: unknown,
  compile: Compile,
  scope: Scope,
) => Evaluate;

export function isNullish(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

/** An operator with a list of arguments. A single argument may be given without the array. */
export function positional(
  min: number,
  max: number,
  compute: (...values: unknown[]) => unknown,
): CompileOperator {
  return (name, operand, compile, scope) => {
    const given = Array.isArray(operand) ? (operand as unknown[]) : [operand];
    if (given.length < min || given.length > max) throw arity(name, given.length, min, max);
    const all = given.map((one) => compile(one, scope));
    const [first, second] = all;
    if (all.length === 1 && first !== undefined)
      return (environment) => compute(first(environment));
    if (all.length === 2 && first !== undefined && second !== undefined) {
      return (environment) => compute(first(environment), second(environment));
    }
    return (environment) => compute(...all.map((one) => one(environment)));
  };
}

function arity(name: string, given: number, min: number, max: number): MongoError {
  if (min === max) {
    return new MongoError(
      16020,
      `Expression ${name} takes exactly ${min} arguments. ${given} were passed in.`,
    );
  }
  const atMost = Number.isFinite(max) ? `, and at most ${max}` : "";
  return new MongoError(
    28667,
    `Expression ${name} takes at least ${min} arguments${atMost}, but ${given} were passed in.`,
  );
}

/** An operator with named arguments. */
export function named(
  required: readonly string[],
  optional: readonly string[],
  compute: (values: Readonly<Record<string, unknown>>, name: string) => unknown,
): CompileOperator {
  return (name, operand, compile, scope) => {
    const given = namedOperands(name, operand, required, optional);
    const compiled = Object.keys(given).map((key) => [key, compile(given[key], scope)] as const);
    return (environment) => {
      const values: Record<string, unknown> = {};
      for (const [key, evaluate] of compiled) values[key] = evaluate(environment);
      return compute(values, name);
    };
  };
}

/** Checks the names of an operator's arguments. */
export function namedOperands(
  name: string,
  operand: unknown,
  required: readonly string[],
  optional: readonly string[],
): Document {
  if (!isDocument(operand)) {
    throw new MongoError(
      "FailedToParse",
      `${name} only supports an object as its argument, found: ${typeName(operand)}`,
    );
  }
  for (const key of Object.keys(operand)) {
    if (!required.includes(key) && !optional.includes(key)) {
      throw new MongoError("FailedToParse", `Unrecognized argument to ${name}: ${fieldName(key)}`);
    }
  }
  const missing = required.find((key) => operand[key] === undefined);
  if (missing !== undefined)
    throw new MongoError("FailedToParse", `Missing '${missing}' parameter to ${name}`);
  return operand;
}

export function requireArray(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new MongoError(17040, `${name} requires an array argument, but found: ${typeName(value)}`);
}

export function requireInteger(name: string, value: unknown): number {
  const number = isNumber(value) ? toDouble(value) : Number.NaN;
  if (Number.isInteger(number)) return number;
  throw new MongoError(
    "TypeMismatch",
    `${name} requires a 32-bit integer, but found: ${shellText(value)}`,
  );
}

export function requireNumber(name: string, value: unknown): BsonNumber {
  if (isNumber(value)) return value;
  throw new MongoError(
    "TypeMismatch",
    `${name} only supports numeric types, not ${typeName(value)}`,
  );
}
