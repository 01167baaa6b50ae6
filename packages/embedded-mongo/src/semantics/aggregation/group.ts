import { MongoError } from "../../errors.ts";
import { type Accumulator, accumulators } from "../expression/accumulators.ts";
import { compile, compileNElementAccumulator, type Evaluate } from "../expression/index.ts";
import { type Document, fieldName, isDocument, newDocument } from "../values/document.ts";
import { groupKey } from "../values/comparison/group-key.ts";
import { typeName } from "../values/types.ts";
import { StageMemory } from "./stage-memory.ts";
import { type CompileStage, environmentOf, type Stage, type StageContext } from "./stage.ts";

type Field = {
  readonly key: string;
  /** Whether the accumulator keeps every value. */
  readonly collects: boolean;
  readonly start: () => Accumulator;
  readonly evaluate: Evaluate;
};

function compileAccumulators(fields: Document, context: StageContext): Field[] {
  return Object.keys(fields).map((key) => {
    const name = fieldName(key);
    const operand = fields[key];
    if (name.includes("."))
      throw new MongoError(40235, `The field name '${name}' cannot contain '.'`);
    if (name.startsWith("$"))
      throw new MongoError(40236, `The field name '${name}' cannot be an operator name`);
    if (!isDocument(operand) || Object.keys(operand)[0]?.startsWith("$") !== true) {
      throw new MongoError(40234, `The field '${name}' must be an accumulator object`);
    }
    const [operator, second] = Object.keys(operand) as [string, string?];
    if (second !== undefined)
      throw new MongoError(40238, `The field '${name}' must specify one accumulator`);
    const chosen = compileNElementAccumulator(operator, operand[operator], context.scope);
    if (chosen !== undefined) return { key, collects: true, ...chosen };
    if (!Object.hasOwn(accumulators, operator)) {
      throw new MongoError(15952, `unknown group operator '${operator}'`);
    }
    checkOperand(operator, operand[operator]);
    return {
      key,
      collects: operator === "$push" || operator === "$addToSet",
      start: accumulators[operator] as () => Accumulator,
      evaluate: compile(operator === "$count" ? null : operand[operator], context.scope),
    };
  });
}

function checkOperand(operator: string, operand: unknown): void {
  if (Array.isArray(operand)) {
    throw new MongoError(40237, `The ${operator} accumulator is a unary operator`);
  }
  if (operator === "$count" && !(isDocument(operand) && Object.keys(operand).length === 0)) {
    throw new MongoError("TypeMismatch", "$count takes no arguments, i.e. $count:{}");
  }
}

type Group = { readonly id: unknown; readonly states: readonly Accumulator[] };

export const group: CompileStage = (operand, context) => {
  if (!isDocument(operand))
    throw new MongoError(
      15947,
      `a group's fields must be specified in an object, found ${typeName(operand)}`,
    );
  if (operand["_id"] === undefined)
    throw new MongoError(15955, "a group specification must include an _id");
  const { _id, ...rest } = operand;
  return groupBy(compile(_id, context.scope), rest, context);
};

/** Groups by a value computed for each document. A missing value counts as null. */
export function groupBy(id: Evaluate, accumulated: Document, context: StageContext): Stage {
  const fields = compileAccumulators(accumulated, context);
  return function* run(documents) {
    const memory = new StageMemory("$group");
    const groups = new Map<string, Group>();
    for (const document of documents) {
      const environment = environmentOf(document, context);
      const value = id(environment) ?? null;
      const key = groupKey(value);
      let found = groups.get(key);
      if (found === undefined) {
        memory.hold([value, key, fields.map(() => null)]);
        found = { id: value, states: fields.map((field) => field.start()) };
        groups.set(key, found);
      }
      for (const [index, field] of fields.entries()) {
        const input = field.evaluate(environment);
        const state = found.states[index];
        if (field.collects && state?.isFull?.() !== true) memory.hold(input);
        state?.add(input);
      }
    }
    for (const { id: groupId, states } of groups.values()) {
      const result = newDocument();
      result["_id"] = groupId;
      for (const [index, field] of fields.entries()) result[field.key] = states[index]?.result();
      yield result;
    }
  };
}
