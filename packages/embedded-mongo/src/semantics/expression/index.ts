import { accumulators } from "./accumulators.ts";
import { arithmeticOperators } from "./operators/arithmetic-operators.ts";
import { arrayOperators } from "./operators/array-operators.ts";
import { compileExpression } from "./compile.ts";
import { conversionOperators } from "./operators/conversion-operators.ts";
import { dateOperators } from "./dates/date-operators.ts";
import { fieldOperators } from "./operators/field-operators.ts";
import { logicOperators } from "./operators/logic-operators.ts";
import {
  type CompileOperator,
  type Environment,
  type Evaluate,
  positional,
  type Scope,
} from "./operator.ts";
import {
  nElementOperators,
  nElementAccumulators,
  type GroupAccumulator,
} from "./operators/n-element-operators.ts";
import { stringOperators } from "./operators/string-operators.ts";
import { trigonometryOperators } from "./operators/trigonometry-operators.ts";

/** An accumulator used as an expression, over its arguments or over one array. */
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
    ...nElementOperators,
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

/** Compiles a `$group` accumulator of the n-element kind; undefined for other accumulators. */
export function compileNElementAccumulator(
  name: string,
  operand: unknown,
  scope: Scope,
): GroupAccumulator | undefined {
  return Object.hasOwn(nElementAccumulators, name)
    ? nElementAccumulators[name]?.(name, operand, compile, scope)
    : undefined;
}

export type { Environment, Evaluate, Scope };
