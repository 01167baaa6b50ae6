import type { Document } from "../document-codec.ts";
import { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";
import { compareBson, compileFilter } from "../semantics/index.ts";
import { numberOf } from "../bson/number-of.ts";

const known = new Set([
  "v",
  "key",
  "name",
  "unique",
  "sparse",
  "background",
  "expireAfterSeconds",
  "partialFilterExpression",
  "hidden",
  "collation",
  "ns",
]);

/** Returns the specification that `listIndexes` will show. Refuses unsupported options. */
export function readSpecification(requested: Document): Document {
  for (const name of Object.keys(requested)) {
    if (!known.has(name)) {
      throw new MongoError(
        "CannotCreateIndex",
        `option '${name}' of an index is not supported by this server`,
      );
    }
  }
  const { key, name, expireAfterSeconds, partialFilterExpression: partial } = requested;
  const fields = readKey(key);
  if (typeof name !== "string" || name === "") {
    throw new MongoError(
      "FailedToParse",
      "The 'name' field is a required property of an index specification",
    );
  }
  const collation = requested["collation"] as Document | undefined;
  if (collation !== undefined && collation["locale"] !== "simple") {
    throw new MongoError("CannotCreateIndex", "collation is not supported by this server");
  }
  if (requested["hidden"] === true) {
    throw new MongoError("CannotCreateIndex", "hidden indexes are not supported by this server");
  }
  if (partial !== undefined) checkPartial(partial, requested["sparse"]);
  if (expireAfterSeconds !== undefined) checkExpiry(expireAfterSeconds, fields);
  return {
    v: 2,
    key,
    name,
    ...(isTruthy(requested["unique"]) ? { unique: true } : {}),
    ...(isTruthy(requested["sparse"]) ? { sparse: true } : {}),
    ...(partial === undefined ? {} : { partialFilterExpression: partial }),
    ...(expireAfterSeconds === undefined ? {} : { expireAfterSeconds }),
  };
}

function isTruthy(value: unknown): boolean {
  return value === true || (numberOf(value) ?? 0) !== 0;
}

function readKey(key: unknown): string[] {
  if (typeof key !== "object" || key === null || Array.isArray(key)) {
    throw new MongoError("TypeMismatch", "the 'key' of an index must be an object");
  }
  const fields = Object.entries(key as Document);
  if (fields.length === 0) throw new MongoError("CannotCreateIndex", "Index keys cannot be empty.");
  if (fields.length > limits.indexFieldsMax) {
    throw new MongoError(13103, `too many compound keys: more than ${limits.indexFieldsMax}`);
  }
  for (const [path, direction] of fields) checkField(path, direction);
  return fields.map(([path]) => path);
}

function checkField(path: string, direction: unknown): void {
  if (typeof direction === "string") {
    throw new MongoError(
      "CannotCreateIndex",
      `Unknown index plugin '${direction}': text, hashed and geo indexes are not supported by this server`,
    );
  }
  const number = numberOf(direction);
  if (number === undefined || number === 0 || Number.isNaN(number)) {
    throw new MongoError(
      "CannotCreateIndex",
      `Values in v:2 index key pattern cannot be of type object or 0. Only numbers > 0, numbers < 0, and strings are allowed.`,
    );
  }
  const components = path.split(".");
  if (components.includes("") || components.some((one) => one.startsWith("$"))) {
    throw new MongoError(
      "CannotCreateIndex",
      `Index key contains an illegal field name: '${path}'`,
    );
  }
  if (components.includes("**")) {
    throw new MongoError("CannotCreateIndex", "wildcard indexes are not supported by this server");
  }
}

const partialOperators = new Set(["$exists", "$eq", "$gt", "$gte", "$lt", "$lte", "$type", "$in"]);

function checkPartial(partial: unknown, sparse: unknown): void {
  if (typeof partial !== "object" || partial === null || Array.isArray(partial)) {
    throw new MongoError("TypeMismatch", "'partialFilterExpression' must be an object");
  }
  if (isTruthy(sparse)) {
    throw new MongoError(
      "CannotCreateIndex",
      "cannot mix 'partialFilterExpression' and 'sparse' options",
    );
  }
  compileFilter(partial as Document);
  checkPartialClauses(partial as Document);
}

function checkPartialClauses(clauses: Document): void {
  for (const [name, value] of Object.entries(clauses)) {
    if (name === "$and" || name === "$or") {
      for (const clause of value as Document[]) checkPartialClauses(clause);
      continue;
    }
    const operators = Object.keys(
      typeof value === "object" && value !== null ? (value as Document) : {},
    ).filter((operator) => operator.startsWith("$"));
    const refused = name.startsWith("$")
      ? name
      : operators.find((operator) => !partialOperators.has(operator));
    if (refused !== undefined) {
      throw new MongoError(
        "CannotCreateIndex",
        `Expression not supported in partial index: ${refused}`,
      );
    }
  }
}

function checkExpiry(expireAfterSeconds: unknown, fields: readonly string[]): void {
  const seconds = numberOf(expireAfterSeconds);
  if (seconds === undefined || seconds < 0 || seconds > 2_147_483_647) {
    throw new MongoError(
      "CannotCreateIndex",
      "TTL index 'expireAfterSeconds' option must be within an acceptable range, 0 to 2147483647",
    );
  }
  if (fields.length > 1) {
    throw new MongoError(
      "CannotCreateIndex",
      "TTL indexes are single-field indexes, compound indexes do not support TTL",
    );
  }
  if (fields[0] === "_id") {
    throw new MongoError(
      "InvalidIndexSpecificationOption",
      "The field 'expireAfterSeconds' is not valid for an _id index specification",
    );
  }
}

/** The options that distinguish two indexes. */
const identifying = ["key", "unique", "sparse", "partialFilterExpression"];

export function isEquivalent(a: Document, b: Document): boolean {
  return identifying.every((option) => compareBson(a[option], b[option]) === 0);
}
