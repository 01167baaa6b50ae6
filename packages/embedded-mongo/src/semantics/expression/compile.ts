import { MongoError } from "../../errors.ts";
import {
  type Document,
  fieldKey,
  fieldName,
  getField,
  isDocument,
  newDocument,
} from "../values/document.ts";
import { shellText } from "../values/shell-text.ts";
import type { CompileOperator, Environment, Evaluate, Scope } from "./operator.ts";

const depthMax = 200;
const systemVariables = new Set(["ROOT", "CURRENT", "REMOVE", "NOW", "DESCEND", "PRUNE", "KEEP"]);

/** Compiles an aggregation expression. A missing value is `undefined`. */
export function compileExpression(
  expression: unknown,
  scope: Scope,
  operators: ReadonlyMap<string, CompileOperator>,
): Evaluate {
  return new Compiler(operators).compile(expression, scope, 0);
}

class Compiler {
  readonly #operators: ReadonlyMap<string, CompileOperator>;

  constructor(operators: ReadonlyMap<string, CompileOperator>) {
    this.#operators = operators;
  }

  compile(expression: unknown, scope: Scope, depth: number): Evaluate {
    if (depth > depthMax) throw new MongoError("Overflow", "expression is nested too deeply");
    if (typeof expression === "string") return compileString(expression, scope);
    if (Array.isArray(expression)) {
      const elements = expression.map((element) => this.compile(element, scope, depth + 1));
      return (environment) => elements.map((element) => element(environment) ?? null);
    }
    if (!isDocument(expression)) return () => expression;
    const keys = Object.keys(expression);
    return keys[0]?.startsWith("$") === true
      ? this.#operator(expression, keys, scope, depth)
      : this.#object(expression, keys, scope, depth);
  }

  #operator(expression: Document, keys: readonly string[], scope: Scope, depth: number): Evaluate {
    const name = keys[0] as string;
    if (keys.length > 1) {
      throw new MongoError(
        15983,
        `an expression specification must contain exactly one field, the name of the expression. Found ${keys.length} fields in ${shellText(expression)}`,
      );
    }
    const compileOperator = this.#operators.get(name);
    if (compileOperator === undefined)
      throw new MongoError(168, `Unrecognized expression '${name}'`);
    const compile = (inner: unknown, innerScope: Scope) =>
      this.compile(inner, innerScope, depth + 1);
    return compileOperator(name, expression[name], compile, scope);
  }

  #object(expression: Document, keys: readonly string[], scope: Scope, depth: number): Evaluate {
    const fields = keys.map((key) => {
      checkFieldName(fieldName(key));
      return [key, this.compile(expression[key], scope, depth + 1)] as const;
    });
    return (environment) => {
      const result = newDocument();
      for (const [key, evaluate] of fields) {
        const value = evaluate(environment);
        if (value !== undefined) result[key] = value;
      }
      return result;
    };
  }
}

function checkFieldName(name: string): void {
  if (name.includes(".")) {
    throw new MongoError(
      16412,
      `FieldPath field names may not contain '.'. Consider using $getField or $setField.`,
    );
  }
  if (name.startsWith("$")) {
    throw new MongoError(
      16410,
      `FieldPath field names may not start with '$'. Consider using $getField or $setField. Found '${name}'`,
    );
  }
}

/** The keys of a field path. */
export function fieldPathKeys(path: string): string[] {
  return path.split(".").map((name) => {
    if (name === "") throw new MongoError(15998, "FieldPath field names may not be empty strings.");
    if (name.startsWith("$")) checkFieldName(name);
    return fieldKey(name);
  });
}

function compileString(text: string, scope: Scope): Evaluate {
  if (!text.startsWith("$")) return () => text;
  if (text === "$") throw new MongoError(16872, "'$' by itself is not a valid FieldPath");
  if (!text.startsWith("$$")) {
    const keys = fieldPathKeys(text.slice(1));
    const [only] = keys as [string];
    if (keys.length === 1 && !scope.variables.has("CURRENT")) {
      return ({ root }) => (isDocument(root) ? getField(root, only) : undefined);
    }
    return (environment) => valueAt(variable("CURRENT", environment), keys, 0);
  }
  const [name, ...rest] = text.slice(2).split(".") as [string, ...string[]];
  if (!systemVariables.has(name) && !scope.variables.has(name)) {
    throw new MongoError(17276, `Use of undefined variable: ${name}`);
  }
  const keys = rest.length === 0 ? [] : fieldPathKeys(rest.join("."));
  return (environment) => valueAt(variable(name, environment), keys, 0);
}

function variable(name: string, { root, now, variables }: Environment): unknown {
  if (Object.hasOwn(variables, name)) return variables[name];
  switch (name) {
    case "ROOT":
    case "CURRENT":
      return root;
    case "NOW":
      return now;
    case "REMOVE":
      return undefined;
    default:
      return `$$${name}`;
  }
}

/** Follows a path. For an array, it returns the values found in the array's documents. */
export function valueAt(value: unknown, keys: readonly string[], from: number): unknown {
  if (from === keys.length) return value;
  if (Array.isArray(value)) {
    const found: unknown[] = [];
    for (const element of value) {
      const inner = isDocument(element) ? valueAt(element, keys, from) : undefined;
      if (inner !== undefined) found.push(inner);
    }
    return found;
  }
  return isDocument(value)
    ? valueAt(getField(value, keys[from] as string), keys, from + 1)
    : undefined;
}
