import { MongoError } from "../../errors.ts";
import { fieldPathKeys, valueAt } from "../expression/compile.ts";
import { compile } from "../expression/index.ts";
import { compareBson } from "../values/comparison/compare.ts";
import { type Document, fieldName, isDocument, newDocument } from "../values/document.ts";
import { typeName } from "../values/types.ts";
import { group, groupBy } from "./group.ts";
import { setAtPath } from "./shape-stages.ts";
import { sortStage } from "./flow-stages.ts";
import { type CompileStage, environmentOf, type StageContext } from "./stage.ts";

function checkOptions(
  name: string,
  operand: unknown,
  known: readonly string[],
  code: number,
): Document {
  if (!isDocument(operand))
    throw new MongoError(
      "FailedToParse",
      `the ${name} stage specification must be an object, but found ${typeName(operand)}`,
    );
  const unknown = Object.keys(operand).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new MongoError(code, `unknown argument to ${name}: ${fieldName(unknown)}`);
  return operand;
}

function stringOption(name: string, given: Document, option: string): string {
  const value = given[option];
  if (typeof value === "string" && value !== "") return value;
  throw new MongoError(
    "FailedToParse",
    `${name} argument '${option}' must be a string, is type ${typeName(value)}`,
  );
}

export const lookup: CompileStage = (operand, context) => {
  const given = checkOptions(
    "$lookup",
    operand,
    ["from", "localField", "foreignField", "let", "pipeline", "as"],
    9,
  );
  const from = stringOption("$lookup", given, "from");
  const as = fieldPathKeys(stringOption("$lookup", given, "as"));
  const filterFor = joinFilter(given);
  const join = joinPipeline(given, context);
  return function* run(documents) {
    for (const document of documents) {
      const found = context.read(from, filterFor(document));
      yield setAtPath(document, as, [...join(document, found)]);
    }
  };
};

/** The filter for equal fields: any element of a local array may match, and missing equals null. */
function joinFilter(given: Document): (document: Document) => Document {
  if (given["localField"] === undefined && given["foreignField"] === undefined) {
    if (given["pipeline"] === undefined) {
      throw new MongoError(
        "FailedToParse",
        "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
      );
    }
    return newDocument;
  }
  const localKeys = fieldPathKeys(stringOption("$lookup", given, "localField"));
  const foreign = stringOption("$lookup", given, "foreignField");
  fieldPathKeys(foreign);
  return (document) => {
    const local = valueAt(document, localKeys, 0) ?? null;
    const values = Array.isArray(local) ? (local as unknown[]) : [local];
    const tests = values.map((value) => ({ [foreign]: { $eq: value } }));
    if (Array.isArray(local)) tests.push({ [foreign]: { $eq: local } });
    return tests.length === 1 ? (tests[0] as Document) : { $or: tests };
  };
}

type Join = (document: Document, found: Iterable<Document>) => Iterable<Document>;

function joinPipeline(given: Document, context: StageContext): Join {
  const { pipeline, let: vars = {} } = given;
  if (pipeline === undefined) return (_document, found) => found;
  if (!Array.isArray(pipeline))
    throw new MongoError("TypeMismatch", "$lookup argument 'pipeline' must be an array");
  if (!isDocument(vars))
    throw new MongoError("FailedToParse", "$lookup argument 'let' must be an object");
  const values = Object.keys(vars).map(
    (key) => [fieldName(key), compile(vars[key], context.scope)] as const,
  );
  // Compile once to report errors early. The pipeline is compiled again with the variables of each
  // document.
  context.subPipeline(pipeline, Object.fromEntries(values.map(([name]) => [name, null])));
  return (document, found) => {
    const environment = environmentOf(document, context);
    const variables = Object.fromEntries(values.map(([name, value]) => [name, value(environment)]));
    return context.subPipeline(pipeline, { ...context.variables, ...variables })(found);
  };
}

export const unionWith: CompileStage = (operand, context) => {
  const given = typeof operand === "string" ? { coll: operand } : operand;
  const checked = checkOptions("$unionWith", given, ["coll", "pipeline"], 40415);
  const collection = stringOption("$unionWith", checked, "coll");
  const { pipeline = [] } = checked;
  if (!Array.isArray(pipeline))
    throw new MongoError("TypeMismatch", "$unionWith argument 'pipeline' must be an array");
  const stage = context.subPipeline(pipeline, context.variables);
  return function* run(documents) {
    yield* documents;
    yield* stage(context.read(collection, newDocument()));
  };
};

export const sortByCount: CompileStage = (operand, context) => {
  if (!(typeof operand === "string" && operand.startsWith("$")) && !isDocument(operand)) {
    throw new MongoError(
      40149,
      "the sortByCount field must be specified as a field path or an expression",
    );
  }
  const grouped = group({ _id: operand, count: { $sum: 1 } }, context);
  const sorted = sortStage({ count: -1 });
  return (documents) => sorted(grouped(documents));
};

export const bucket: CompileStage = (operand, context) => {
  const given = checkOptions(
    "$bucket",
    operand,
    ["groupBy", "boundaries", "default", "output"],
    40197,
  );
  const { boundaries, output = { count: { $sum: 1 } } } = given;
  if (!Array.isArray(boundaries) || boundaries.length < 2) {
    throw new MongoError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  }
  for (const [index, value] of boundaries.entries()) {
    if (index > 0 && compareBson(boundaries[index - 1], value) >= 0) {
      throw new MongoError(
        40194,
        "The 'boundaries' option to $bucket must be sorted in ascending order",
      );
    }
  }
  if (!isDocument(output))
    throw new MongoError(40196, "The $bucket 'output' field must be an object");
  const value = compile(given["groupBy"], context.scope);
  const grouped = groupBy(
    (environment) => bucketOf(value(environment), boundaries, given),
    output,
    context,
  );
  const sorted = sortStage({ _id: 1 });
  return (documents) => sorted(grouped(documents));
};

/** The lower boundary of the bucket that contains the value. */
function bucketOf(value: unknown, boundaries: readonly unknown[], given: Document): unknown {
  const above = boundaries.findIndex((boundary) => compareBson(value, boundary) < 0);
  if (above > 0) return boundaries[above - 1];
  if (given["default"] !== undefined) return given["default"];
  throw new MongoError(
    40066,
    "$switch could not find a matching branch for an input, and no default was specified.",
  );
}
