import { computeValue, Context, ProcessingMode } from "mingo/core";
import { $dateTrunc } from "mingo/operators/expression/date";
import { $literal } from "mingo/operators/expression";
import { $ltrim, $rtrim, $trim } from "mingo/operators/expression/string";
import { MongoError } from "../errors.ts";
import { isNumber, toDouble } from "./values/numbers/numbers.ts";

/*
 * The only use of mingo. It gets evaluated arguments only, with plain JavaScript numbers, and its
 * results are converted back to BSON types. README.md in this folder lists the operators that it
 * computes, and why the others are our own.
 */

const options = {
  context: Context.init({
    expression: { $dateTrunc, $trim, $ltrim, $rtrim, $literal },
  }),
  idKey: "_id",
  processingMode: ProcessingMode.CLONE_OFF,
  useStrictMode: true,
  scriptEnabled: false,
  failOnError: true,
};

type Arguments = readonly unknown[] | Readonly<Record<string, unknown>>;

function literal(value: unknown): unknown {
  return { $literal: isNumber(value) ? toDouble(value) : value };
}

/** Computes one operator of mingo on values. */
export function computeWithMingo(operator: string, given: Arguments): unknown {
  const literals = Array.isArray(given)
    ? given.map(literal)
    : Object.fromEntries(Object.entries(given).map(([name, value]) => [name, literal(value)]));
  try {
    return computeValue({}, literals, operator, options);
  } catch (error) {
    throw new MongoError("BadValue", `${operator}: ${(error as Error).message}`);
  }
}
