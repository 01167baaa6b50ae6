import type { JsonSchema } from "../json-schema/json-schema.ts";

/** A place in a message, and why its value no longer matches. */
export interface SchemaMismatch {
  readonly path: string;
  readonly problem: string;
}

/** Which of the two schemas is older. A field that only the older one has was removed. */
type Older = "sent" | "expected";

const quote = (value: unknown) => JSON.stringify(value);

/**
 * Finds why a message of the sent schema might not match the expected one. The reader ignores fields
 * that it does not know.
 */
export function findMismatches(
  sent: JsonSchema,
  expected: JsonSchema,
  older: Older,
  path = "",
): readonly SchemaMismatch[] {
  if (Object.keys(expected).length === 0) return [];
  if (sent.anyOf)
    return sent.anyOf.flatMap((option) => findMismatches(option, expected, older, path));
  if (expected.anyOf) return closestOption(sent, expected.anyOf, older, path);
  const typeProblem = findTypeMismatch(sent, expected);
  if (typeProblem !== undefined) return [{ path, problem: typeProblem }];
  return [
    ...[
      findValueMismatch(sent, expected),
      ...findBoundMismatches(sent, expected),
      findTextMismatch(sent, expected),
    ].flatMap((problem) => (problem === undefined ? [] : [{ path, problem }])),
    ...findFieldMismatches(sent, expected, older, path),
    ...(sent.items && expected.items
      ? findMismatches(sent.items, expected.items, older, `${path}[]`)
      : []),
  ];
}

/** One matching option is enough. If none matches, the closest option gives the clearest message. */
function closestOption(
  sent: JsonSchema,
  options: readonly JsonSchema[],
  older: Older,
  path: string,
): readonly SchemaMismatch[] {
  const mismatches = options.map((option) => findMismatches(sent, option, older, path));
  const isInside = (each: readonly SchemaMismatch[]) =>
    each.some((mismatch) => mismatch.path !== path);
  const [best = []] = mismatches.toSorted(
    (one, other) =>
      Number(one.length > 0) - Number(other.length > 0) ||
      Number(isInside(other)) - Number(isInside(one)) ||
      one.length - other.length,
  );
  return best;
}

const typesOf = ({ type }: JsonSchema) => (type === undefined ? undefined : [type].flat());

function findTypeMismatch(sent: JsonSchema, expected: JsonSchema): string | undefined {
  const expectedTypes = typesOf(expected);
  if (expectedTypes === undefined) return undefined;
  const sentTypes = typesOf(sent);
  if (sentTypes === undefined)
    return `may be anything, where ${expectedTypes.join(" or ")} is expected`;
  const unexpected = sentTypes.find(
    (type) =>
      !expectedTypes.includes(type) && !(type === "integer" && expectedTypes.includes("number")),
  );
  return unexpected && `is ${unexpected}, where ${expectedTypes.join(" or ")} is expected`;
}

const valuesOf = (schema: JsonSchema) =>
  schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);

function findValueMismatch(sent: JsonSchema, expected: JsonSchema): string | undefined {
  const expectedValues = valuesOf(expected);
  if (expectedValues === undefined) return undefined;
  const unknown = valuesOf(sent)?.filter((value) => !expectedValues.includes(value));
  if (unknown === undefined)
    return `may be any value, where only ${quote(expectedValues)} are known`;
  return unknown.length === 0
    ? undefined
    : `may be ${unknown.map(quote).join(", ")}, where only ${expectedValues.map(quote).join(", ")} are known`;
}

const lowest = ["minimum", "minLength", "minItems"] as const;
const highest = ["maximum", "maxLength", "maxItems"] as const;

function findBoundMismatches(sent: JsonSchema, expected: JsonSchema): (string | undefined)[] {
  return [
    ...lowest.map((bound) => {
      const [sentBound = Number.NEGATIVE_INFINITY, expectedBound] = [sent[bound], expected[bound]];
      if (expectedBound === undefined || sentBound >= expectedBound || valuesOf(sent))
        return undefined;
      return `has a ${bound} of ${sentBound}, where ${expectedBound} is expected`;
    }),
    ...highest.map((bound) => {
      const [sentBound = Number.POSITIVE_INFINITY, expectedBound] = [sent[bound], expected[bound]];
      if (expectedBound === undefined || sentBound <= expectedBound || valuesOf(sent))
        return undefined;
      return `has a ${bound} of ${sentBound}, where ${expectedBound} is expected`;
    }),
  ];
}

function findTextMismatch(sent: JsonSchema, expected: JsonSchema): string | undefined {
  for (const keyword of ["pattern", "format"] as const) {
    const expectedText = expected[keyword];
    if (expectedText === undefined || sent[keyword] === expectedText) continue;
    if (
      keyword === "pattern" &&
      valuesOf(sent)?.every((value) => new RegExp(expectedText, "u").test(String(value)))
    )
      continue;
    return `has ${sent[keyword] ? `the ${keyword} ${sent[keyword]}` : `no ${keyword}`}, where ${expectedText} is expected`;
  }
  return undefined;
}

function findFieldMismatches(
  sent: JsonSchema,
  expected: JsonSchema,
  older: Older,
  path: string,
): readonly SchemaMismatch[] {
  const [sentFields, expectedFields] = [sent.properties ?? {}, expected.properties ?? {}];
  const [before, now] =
    older === "sent" ? [sentFields, expectedFields] : [expectedFields, sentFields];
  const at = (name: string) => (path === "" ? name : `${path}.${name}`);
  const gone = Object.keys(before)
    .filter((name) => !(name in now))
    .map((name) => ({ path: at(name), problem: "is gone" }));
  const missing = (expected.required ?? [])
    .filter((name) => !(sent.required ?? []).includes(name) && name in now)
    .map((name) => ({
      path: at(name),
      problem: older === "sent" ? "is now required" : "may now be missing",
    }));
  const shared = Object.entries(sentFields).flatMap(([name, field]) => {
    const other = expectedFields[name];
    return other === undefined ? [] : findMismatches(field, other, older, at(name));
  });
  return [...gone, ...missing, ...shared, ...findRecordMismatches(sent, expected, older, at("*"))];
}

/** Compares the values of a record, whose field names are not fixed. */
function findRecordMismatches(
  { additionalProperties: sentRecord }: JsonSchema,
  { additionalProperties: expectedRecord }: JsonSchema,
  older: Older,
  path: string,
): readonly SchemaMismatch[] {
  if (typeof sentRecord !== "object" || typeof expectedRecord !== "object") return [];
  return findMismatches(sentRecord, expectedRecord, older, path);
}
