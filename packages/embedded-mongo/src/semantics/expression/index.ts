import { accumulators } from "./accumulators.ts";
import { arithmeticOperators } from "./arithmetic-operators.ts";
import { arrayOperators } from "./array-operators.ts";
import { compileExpression } from "./compile.ts";
import { conversionOperators } from "./conversions.ts";
import { dateOperators } from "./date-operators.ts";
import { fieldOperators } from "./field-operators.ts";
import { logicOperators } from "./logic-operators.ts";
import {
  type CompileOperator,
  type Environment,
  type Evaluate,
  positional,
  type Scope,
} from "./operator.ts";
import { someOfArrayOperators, someOfGroup, type GroupAccumulator } from "./some-of-many.ts";
import { stringOperators } from "./string-operators.ts";
import { trigonometryOperators } from "./trigonometry-operators.ts";

/** Accumulators that also work as expressions: over their arguments, or over one array. */
function overValues(name: string): CompileOperator {
  const start = accumulators[name] as (typeof accumulators)[string];
  return positional(0, Infinity, (...values) => {
    const accumulator = start();
    const [only] = values;
    for (const value of values.length === 1 && Array.isArray(only) ? (only as unknown[]) : values) {
      accumulator.add(value);
    }
    return accumulator.result();
  });
}

const operators: ReadonlyMap<string, CompileOperator> = new Map(
  Object.entries({
    ...logicOperators,
    ...arithmeticOperators,
    ...trigonometryOperators,
    ...arrayOperators,
    ...stringOperators,
    ...dateOperators,
    ...fieldOperators,
    ...someOfArrayOperators,
    ...conversionOperators,
    ...Object.fromEntries(
      ["$sum", "$avg", "$min", "$max", "$stdDevPop", "$stdDevSamp"].map((name) => [
        name,
        overValues(name),
      ]),
    ),
  }),
);

const noVariables: Scope = { variables: new Set() };

export function compile(expression: unknown, scope: Scope = noVariables): Evaluate {
  return compileExpression(expression, scope, operators);
}

/** An accumulator of a group that chooses some of many values; undefined when it is another. */
export function compileSomeOfGroup(
  name: string,
  operand: unknown,
  scope: Scope,
): GroupAccumulator | undefined {
  return Object.hasOwn(someOfGroup, name)
    ? someOfGroup[name]?.(name, operand, compile, scope)
    : undefined;
}

export type { Environment, Evaluate, Scope };
