import { MongoError } from "../../errors.ts";
import { compile } from "../expression/index.ts";
import { compileFilter } from "../filter/compile.ts";
import { compileSortKeys, type SortKey } from "../sort.ts";
import { type Document, fieldKey, isDocument, newDocument } from "../values/document.ts";
import { isNumber, toDouble } from "../values/numbers/numbers.ts";
import { typeName } from "../values/types.ts";
import { StageMemory } from "./stage-memory.ts";
import {
  type CompileStage,
  environmentOf,
  holdAll,
  type Stage,
  type StageContext,
} from "./stage.ts";

export const match: CompileStage = (operand, context) => {
  if (!isDocument(operand))
    throw new MongoError(15959, "the match filter must be an expression in an object");
  const { matches } = compileFilter(operand, context);
  return function* run(documents) {
    for (const document of documents) if (matches(document)) yield document;
  };
};

/** Sorts stably. With a limit it holds at most about twice as many documents as the limit. */
export function sortStage(operand: unknown, limit?: number): Stage {
  if (!isDocument(operand))
    throw new MongoError(15973, "the $sort key specification must be an object");
  if (Object.keys(operand).length === 0)
    throw new MongoError(15976, "$sort stage must have at least one sort key");
  const { keyOf, compareKeys } = compileSortKeys(operand);
  const most = limit ?? Infinity;
  return function* run(documents) {
    const memory = new StageMemory("$sort");
    let held: { document: Document; key: SortKey; size: number }[] = [];
    const compact = () => {
      held.sort((a, b) => compareKeys(a.key, b.key));
      for (const { size } of held.slice(most)) memory.release(size);
      held = held.slice(0, most);
    };
    for (const document of documents) {
      held.push({ document, key: keyOf(document), size: memory.hold(document) });
      if (held.length >= 2 * most + 100 || (memory.halfFull && held.length > most)) compact();
    }
    compact();
    for (const { document } of held) yield document;
  };
}

export function parseCount(name: string, operand: unknown, least: number, code: number): number {
  const count = isNumber(operand) ? toDouble(operand) : Number.NaN;
  if (Number.isInteger(count) && count >= least) return count;
  throw new MongoError(
    code,
    `invalid argument to ${name} stage: expected ${least === 0 ? "a non-negative" : "a positive"} number, found ${isNumber(operand) ? count : typeName(operand)}`,
  );
}

export const limit: CompileStage = (operand) => {
  const most = parseCount("$limit", operand, 1, 15958);
  return function* run(documents) {
    let taken = 0;
    for (const document of documents) {
      yield document;
      taken += 1;
      if (taken >= most) return;
    }
  };
};

export const skip: CompileStage = (operand) => {
  const left = parseCount("$skip", operand, 0, 15956);
  return function* run(documents) {
    let skipped = 0;
    for (const document of documents) {
      if (skipped >= left) yield document;
      else skipped += 1;
    }
  };
};

export const count: CompileStage = (operand) => {
  if (typeof operand !== "string" || operand === "")
    throw new MongoError(40157, "the count field must be a non-empty string");
  if (operand.startsWith("$"))
    throw new MongoError(40158, "the count field cannot be a $-prefixed path");
  if (operand.includes(".")) throw new MongoError(40160, "the count field cannot contain '.'");
  return function* run(documents) {
    let total = 0;
    for (const _ of documents) total += 1;
    if (total === 0) return;
    const result = newDocument();
    result[fieldKey(operand)] = total;
    yield result;
  };
};

export const sample: CompileStage = (operand) => {
  if (!isDocument(operand) || Object.keys(operand).join() !== "size") {
    throw new MongoError(28745, "the $sample stage specification must be an object with a size");
  }
  const size = parseCount("$sample", operand["size"], 1, 28747);
  return function* run(documents) {
    const chosen: Document[] = [];
    let seen = 0;
    for (const document of documents) {
      seen += 1;
      const place = chosen.length < size ? chosen.length : Math.floor(Math.random() * seen);
      if (place < size) chosen[place] = document;
    }
    yield* chosen;
  };
};

export const facet: CompileStage = (operand, context) => {
  if (!isDocument(operand) || Object.keys(operand).length === 0) {
    throw new MongoError(40169, "the $facet specification must be a non-empty object");
  }
  const facets = Object.keys(operand).map((key) => {
    const stages = operand[key];
    if (!Array.isArray(stages))
      throw new MongoError(
        40170,
        `arguments to $facet must be arrays, ${key} is type ${typeName(stages)}`,
      );
    const nested = stages.find(
      (stage: unknown) => isDocument(stage) && stage["$facet"] !== undefined,
    );
    if (nested !== undefined)
      throw new MongoError(40600, "$facet is not allowed to be used within a $facet stage");
    return [key, context.subPipeline(stages, context.variables)] as const;
  });
  return function* run(documents) {
    const input = holdAll("$facet", documents);
    const result = newDocument();
    for (const [key, stage] of facets) result[key] = [...stage(input)];
    yield result;
  };
};

type Decision = "$$DESCEND" | "$$PRUNE" | "$$KEEP";

export const redact: CompileStage = (operand, context) => {
  const decide = compile(operand, context.scope);
  return function* run(documents) {
    for (const document of documents) {
      const kept = redactDocument(document, document, decide, context);
      if (kept !== undefined) yield kept;
    }
  };
};

function redactDocument(
  document: Document,
  root: Document,
  decide: ReturnType<typeof compile>,
  context: StageContext,
): Document | undefined {
  const environment = environmentOf(document, context);
  const variables = { ...environment.variables, ROOT: root };
  const decision = decide({ ...environment, variables }) as Decision;
  if (decision === "$$KEEP") return document;
  if (decision === "$$PRUNE") return undefined;
  if (decision !== "$$DESCEND") {
    throw new MongoError(
      17053,
      "$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and $$PRUNE",
    );
  }
  const descend = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(descend).filter((element) => element !== undefined);
    return isDocument(value) ? redactDocument(value, root, decide, context) : value;
  };
  const result = newDocument();
  for (const key of Object.keys(document)) {
    const value = descend(document[key]);
    if (value !== undefined) result[key] = value;
  }
  return result;
}
