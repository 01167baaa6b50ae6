import { accumulators } from "./accumulators.ts";
import { arithmeticOperators } from "./arithmetic-operators.ts";
import { arrayOperators } from "./array-operators.ts";
import { compileExpression } from "./compile.ts";
import { conversionOperators } from "./conversions.ts";
import { dateOperators } from "./date-operators.ts";
import { logicOperators } from "./logic-operators.ts";
import {
  type CompileOperator,
  type Environment,
  type Evaluate,
  positional,
  type Scope,
} from "./operator.ts";
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

export type { Environment, Evaluate, Scope };
