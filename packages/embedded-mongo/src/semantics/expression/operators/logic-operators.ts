import { MongoError } from "../../../errors.ts";
import { isTrue } from "../../values/truth.ts";
import { compareBson } from "../../values/comparison/compare.ts";
import { type Document, fieldName, isDocument } from "../../values/document.ts";
import { answeredDepthMax, boundedDepth } from "../../values/depth.ts";
import { typeName } from "../../values/types.ts";
import {
  type Compile,
  type CompileOperator,
  type Environment,
  type Evaluate,
  isNullish,
  namedOperands,
  positional,
  requireArray,
  requireInteger,
  type Scope,
} from "../operator.ts";

function withVariable(environment: Environment, name: string, value: unknown): Environment {
  environment.checkTime?.();
  return { ...environment, variables: { ...environment.variables, [name]: value } };
}

function withNames(scope: Scope, names: readonly string[]): Scope {
  for (const name of names) {
    if (!/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name) && name !== "CURRENT") {
      throw new MongoError(
        "FailedToParse",
        `'${name}' starts with an invalid character for a user variable name`,
      );
    }
  }
  return { variables: new Set([...scope.variables, ...names]) };
}

const conditional: CompileOperator = (name, operand, compile, scope) => {
  const list = Array.isArray(operand) ? (operand as unknown[]) : conditionOperands(name, operand);
  if (list.length !== 3) {
    throw new MongoError(
      16020,
      `Expression ${name} takes exactly 3 arguments. ${list.length} were passed in.`,
    );
  }
  const [test, whenTrue, whenFalse] = list.map((one) => compile(one, scope)) as [
    Evaluate,
    Evaluate,
    Evaluate,
  ];
  return (environment) => (isTrue(test(environment)) ? whenTrue : whenFalse)(environment);
};

function conditionOperands(name: string, operand: unknown): unknown[] {
  const given = namedOperands(name, operand, ["if", "then", "else"], []);
  return [given["if"], given["then"], given["else"]];
}

const ifNull: CompileOperator = (name, operand, compile, scope) => {
  if (!Array.isArray(operand) || operand.length < 2) {
    throw new MongoError(
      1257300,
      `${name} needs at least two arguments, had: ${Array.isArray(operand) ? operand.length : 1}`,
    );
  }
  const choices = operand.map((one) => compile(one, scope));
  return (environment) => {
    let value: unknown;
    for (const choice of choices) {
      value = choice(environment);
      if (!isNullish(value)) return value;
    }
    return value;
  };
};

const switchOperator: CompileOperator = (name, operand, compile, scope) => {
  const given = namedOperands(name, operand, ["branches"], ["default"]);
  const branches = requireArray("$switch", given["branches"]).map((branch) => {
    const { case: test, then } = namedOperands("$switch", branch, ["case", "then"], []);
    return [compile(test, scope), compile(then, scope)] as const;
  });
  if (branches.length === 0) throw new MongoError(40068, "$switch requires at least one branch");
  const fallback = given["default"] === undefined ? undefined : compile(given["default"], scope);
  return (environment) => {
    for (const [test, then] of branches) if (isTrue(test(environment))) return then(environment);
    if (fallback !== undefined) return fallback(environment);
    throw new MongoError(
      40066,
      "$switch could not find a matching branch for an input, and no default was specified.",
    );
  };
};

const letOperator: CompileOperator = (name, operand, compile, scope) => {
  const given = namedOperands(name, operand, ["vars", "in"], []);
  if (!isDocument(given["vars"]))
    throw new MongoError(10065, "invalid parameter: expected an object (vars)");
  const vars = given["vars"];
  const names = Object.keys(vars).map(fieldName);
  const values = Object.keys(vars).map((key) => compile(vars[key], scope));
  const body = compile(given["in"], withNames(scope, names));
  return (environment) => {
    const variables = { ...environment.variables };
    for (const [index, one] of names.entries())
      variables[one] = (values[index] as Evaluate)(environment);
    return body({ ...environment, variables });
  };
};

/** The name of the element variable of $map and $filter. The default is `this`. */
function elementName(given: Document): string {
  const { as } = given;
  if (as === undefined) return "this";
  if (typeof as === "string") return as;
  throw new MongoError("FailedToParse", `'as' must be a string, found ${typeName(as)}`);
}

const map: CompileOperator = (name, operand, compile, scope) => {
  const given = namedOperands(name, operand, ["input", "in"], ["as"]);
  const as = elementName(given);
  const input = compile(given["input"], scope);
  const body = compile(given["in"], withNames(scope, [as]));
  return (environment) => {
    const array = input(environment);
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      throw new MongoError(16883, `input to ${name} must be an array not ${typeName(array)}`);
    return array.map((element) => body(withVariable(environment, as, element)) ?? null);
  };
};

const filter: CompileOperator = (name, operand, compile, scope) => {
  const given = namedOperands(name, operand, ["input", "cond"], ["as", "limit"]);
  const as = elementName(given);
  const input = compile(given["input"], scope);
  const condition = compile(given["cond"], withNames(scope, [as]));
  const limit = given["limit"] === undefined ? undefined : compile(given["limit"], scope);
  return (environment) => {
    const array = input(environment);
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      throw new MongoError(28651, `input to ${name} must be an array not ${typeName(array)}`);
    const kept = array.filter((element) =>
      isTrue(condition(withVariable(environment, as, element))),
    );
    const most = limit?.(environment);
    if (isNullish(most)) return kept;
    const count = requireInteger(name, most);
    if (count < 1) throw new MongoError(327392, "$filter: limit must be greater than 0");
    return kept.slice(0, count);
  };
};

const roundsUnchecked = 20;

const reduce: CompileOperator = (name, operand, compile, scope) => {
  const given = namedOperands(name, operand, ["input", "initialValue", "in"], []);
  const input = compile(given["input"], scope);
  const initial = compile(given["initialValue"], scope);
  const body = compile(given["in"], withNames(scope, ["this", "value"]));
  return (environment) => {
    const array = input(environment);
    if (isNullish(array)) return null;
    if (!Array.isArray(array))
      throw new MongoError(
        40080,
        `${name} requires that 'input' be an array, found: ${typeName(array)}`,
      );
    let value = initial(environment);
    for (const [index, element] of array.entries()) {
      value = body(withVariable(withVariable(environment, "this", element), "value", value));
      // Each round may nest the last one.
      if (index % roundsUnchecked === 0) boundedDepth(value, answeredDepthMax);
    }
    return value;
  };
};

function comparisonOperator(pass: (order: number) => unknown): CompileOperator {
  return positional(2, 2, (a, b) => pass(compareBson(a, b)));
}

function every(_name: string, operand: unknown, compile: Compile, scope: Scope): Evaluate {
  const all = (Array.isArray(operand) ? (operand as unknown[]) : [operand]).map((one) =>
    compile(one, scope),
  );
  return (environment) => all.every((one) => isTrue(one(environment)));
}

function some(_name: string, operand: unknown, compile: Compile, scope: Scope): Evaluate {
  const all = (Array.isArray(operand) ? (operand as unknown[]) : [operand]).map((one) =>
    compile(one, scope),
  );
  return (environment) => all.some((one) => isTrue(one(environment)));
}

export const logicOperators: Readonly<Record<string, CompileOperator>> = {
  $literal: (_name, operand) => () => operand,
  $cmp: comparisonOperator((order) => order),
  $eq: comparisonOperator((order) => order === 0),
  $ne: comparisonOperator((order) => order !== 0),
  $lt: comparisonOperator((order) => order < 0),
  $lte: comparisonOperator((order) => order <= 0),
  $gt: comparisonOperator((order) => order > 0),
  $gte: comparisonOperator((order) => order >= 0),
  $and: every,
  $or: some,
  $not: positional(1, 1, (value) => !isTrue(value)),
  $cond: conditional,
  $ifNull: ifNull,
  $switch: switchOperator,
  $let: letOperator,
  $map: map,
  $filter: filter,
  $reduce: reduce,
};
