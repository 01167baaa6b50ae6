import type { JsonSchema } from "../json-schema/json-schema.ts";

/** A place in a message, and why what is there no longer fits. */
export interface SchemaMismatch {
  readonly path: string;
  readonly problem: string;
}

/** Which of two schemas came first: what is gone is a loss to whoever knows the older one. */
type Older = "sent" | "taken";

const said = (value: unknown) => JSON.stringify(value);

/** Whether everything that is sent is taken, by a reader who does not mind more fields than it knows. */
export function findMismatches(
  sent: JsonSchema,
  taken: JsonSchema,
  older: Older,
  path = "",
): readonly SchemaMismatch[] {
  if (Object.keys(taken).length === 0) return [];
  if (sent.anyOf) return sent.anyOf.flatMap((option) => findMismatches(option, taken, older, path));
  if (taken.anyOf) return closest(sent, taken.anyOf, older, path);
  const types = misfitOfType(sent, taken);
  if (types !== undefined) return [{ path, problem: types }];
  return [
    ...[misfitOfValues(sent, taken), ...boundsOf(sent, taken), misfitOfText(sent, taken)].flatMap(
      (problem) => (problem === undefined ? [] : [{ path, problem }]),
    ),
    ...misfitsOfFields(sent, taken, older, path),
    ...(sent.items && taken.items
      ? findMismatches(sent.items, taken.items, older, `${path}[]`)
      : []),
  ];
}

/** What is sent fits when one option takes it; else the one that nearly does tells most. */
function closest(
  sent: JsonSchema,
  options: readonly JsonSchema[],
  older: Older,
  path: string,
): readonly SchemaMismatch[] {
  const misfits = options.map((option) => findMismatches(sent, option, older, path));
  const deep = (each: readonly SchemaMismatch[]) => each.some((misfit) => misfit.path !== path);
  const [best = []] = misfits.toSorted(
    (one, other) =>
      Number(one.length > 0) - Number(other.length > 0) ||
      Number(deep(other)) - Number(deep(one)) ||
      one.length - other.length,
  );
  return best;
}

const typesOf = ({ type }: JsonSchema) => (type === undefined ? undefined : [type].flat());

function misfitOfType(sent: JsonSchema, taken: JsonSchema): string | undefined {
  const takes = typesOf(taken);
  if (takes === undefined) return undefined;
  const sends = typesOf(sent);
  if (sends === undefined) return `may be anything, where ${takes.join(" or ")} is expected`;
  const misfit = sends.find(
    (type) => !takes.includes(type) && !(type === "integer" && takes.includes("number")),
  );
  return misfit && `is ${misfit}, where ${takes.join(" or ")} is expected`;
}

const valuesOf = (schema: JsonSchema) =>
  schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);

function misfitOfValues(sent: JsonSchema, taken: JsonSchema): string | undefined {
  const takes = valuesOf(taken);
  if (takes === undefined) return undefined;
  const unknown = valuesOf(sent)?.filter((value) => !takes.includes(value));
  if (unknown === undefined) return `may be any value, where only ${said(takes)} are known`;
  return unknown.length === 0
    ? undefined
    : `may be ${unknown.map(said).join(", ")}, where only ${takes.map(said).join(", ")} are known`;
}

const lowest = ["minimum", "minLength", "minItems"] as const;
const highest = ["maximum", "maxLength", "maxItems"] as const;

function boundsOf(sent: JsonSchema, taken: JsonSchema): (string | undefined)[] {
  return [
    ...lowest.map((bound) => {
      const [sends = Number.NEGATIVE_INFINITY, takes] = [sent[bound], taken[bound]];
      if (takes === undefined || sends >= takes || valuesOf(sent)) return undefined;
      return `has a ${bound} of ${sends}, where ${takes} is expected`;
    }),
    ...highest.map((bound) => {
      const [sends = Number.POSITIVE_INFINITY, takes] = [sent[bound], taken[bound]];
      if (takes === undefined || sends <= takes || valuesOf(sent)) return undefined;
      return `has a ${bound} of ${sends}, where ${takes} is expected`;
    }),
  ];
}

function misfitOfText(sent: JsonSchema, taken: JsonSchema): string | undefined {
  for (const form of ["pattern", "format"] as const) {
    const takes = taken[form];
    if (takes === undefined || sent[form] === takes) continue;
    if (
      form === "pattern" &&
      valuesOf(sent)?.every((value) => new RegExp(takes, "u").test(String(value)))
    )
      continue;
    return `has ${sent[form] ? `the ${form} ${sent[form]}` : `no ${form}`}, where ${takes} is expected`;
  }
  return undefined;
}

function misfitsOfFields(
  sent: JsonSchema,
  taken: JsonSchema,
  older: Older,
  path: string,
): readonly SchemaMismatch[] {
  const [sends, takes] = [sent.properties ?? {}, taken.properties ?? {}];
  const [before, now] = older === "sent" ? [sends, takes] : [takes, sends];
  const at = (name: string) => (path === "" ? name : `${path}.${name}`);
  const gone = Object.keys(before)
    .filter((name) => !(name in now))
    .map((name) => ({ path: at(name), problem: "is gone" }));
  const missing = (taken.required ?? [])
    .filter((name) => !(sent.required ?? []).includes(name) && name in now)
    .map((name) => ({
      path: at(name),
      problem: older === "sent" ? "is now required" : "may now be missing",
    }));
  const shared = Object.entries(sends).flatMap(([name, field]) => {
    const other = takes[name];
    return other === undefined ? [] : findMismatches(field, other, older, at(name));
  });
  return [...gone, ...missing, ...shared, ...misfitsOfRest(sent, taken, older, at("*"))];
}

/** Of the fields of a record, whose names are anybody's. */
function misfitsOfRest(
  { additionalProperties: sends }: JsonSchema,
  { additionalProperties: takes }: JsonSchema,
  older: Older,
  path: string,
): readonly SchemaMismatch[] {
  if (typeof sends !== "object" || typeof takes !== "object") return [];
  return findMismatches(sends, takes, older, path);
}
