import { MongoError } from "../../../errors.ts";
import { computeWithMingo } from "../../mingo.ts";
import { compareStrings, regexParts } from "../../values/comparison/compare.ts";
import { type Document, newDocument } from "../../values/document.ts";
import { compileRegex } from "../../values/regex/regex.ts";
import { typeName } from "../../values/types.ts";
import { convert } from "./conversion-operators.ts";
import { type CompileOperator, isNullish, named, positional } from "../operator.ts";

function concat(...values: unknown[]): unknown {
  if (values.some(isNullish)) return null;
  let text = "";
  for (const value of values) {
    if (typeof value !== "string") {
      throw new MongoError(16702, `$concat only supports strings, not ${typeName(value)}`);
    }
    text += value;
    refuseLong("$concat", text.length);
  }
  return text;
}

const textMax = 16 * 1024 * 1024;

/** Refuses text that does not fit into a document. */
function refuseLong(name: string, length: number): void {
  if (length <= textMax) return;
  throw new MongoError(
    "BSONObjectTooLarge",
    `${name} would make a text of more than ${textMax} characters`,
  );
}

/** The text of an operand: an empty string for null, and the text of numbers and dates. */
function textOf(value: unknown): string {
  return isNullish(value) ? "" : (convert(value, "string") as string);
}

/** Only ASCII letters change case. */
function toLower(value: unknown): string {
  return textOf(value).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function toUpper(value: unknown): string {
  return textOf(value).replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

function requireString(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new MongoError(34471, `${name} requires a string argument, found: ${typeName(value)}`);
}

function split(value: unknown, delimiter: unknown): unknown {
  if (isNullish(value) || isNullish(delimiter)) return null;
  if (requireString("$split", delimiter) === "") {
    throw new MongoError(40087, "$split requires a non-empty separator");
  }
  return requireString("$split", value).split(delimiter as string);
}

function substringBytes(value: unknown, start: unknown, count: unknown): string {
  const bytes = Buffer.from(textOf(value));
  const from = Number(convert(start, "int"));
  const length = Number(convert(count, "int"));
  if (from < 0) throw new MongoError(50752, "$substrBytes: starting index must be non-negative");
  const to = length < 0 ? bytes.length : Math.min(from + length, bytes.length);
  const inside = (at: number) => at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80;
  if (inside(from))
    throw new MongoError(
      28656,
      "$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.",
    );
  if (inside(to))
    throw new MongoError(
      28657,
      "$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.",
    );
  return bytes.toString("utf8", from, to);
}

function substringPoints(value: unknown, start: unknown, count: unknown): string {
  const from = Number(convert(start, "int"));
  const length = Number(convert(count, "int"));
  if (from < 0)
    throw new MongoError(34455, "$substrCP: the starting index must be nonnegative integer.");
  if (length < 0) throw new MongoError(34454, "$substrCP: length must be a nonnegative integer.");
  return Array.from(textOf(value))
    .slice(from, from + length)
    .join("");
}

function trimOperator(name: string): CompileOperator {
  return named(["input"], ["chars"], ({ input, chars }) => {
    if (isNullish(input) || chars === null) return null;
    requireString(name, input);
    if (chars !== undefined) requireString(name, chars);
    return computeWithMingo(name, chars === undefined ? { input } : { input, chars });
  });
}

function replaceOperator(name: string): CompileOperator {
  return named(["input", "find", "replacement"], [], (values) => {
    const given = [values["input"], values["find"], values["replacement"]];
    if (given.some(isNullish)) return null;
    const [input, find, replacement] = given.map((value) => requireString(name, value)) as [
      string,
      string,
      string,
    ];
    if (name === "$replaceAll") {
      const parts = input.split(find);
      refuseLong(name, input.length + parts.length * replacement.length);
      return parts.join(replacement);
    }
    return input.replace(find, () => replacement);
  });
}

type Match = {
  readonly match: string;
  readonly idx: number;
  readonly captures: readonly (string | null)[];
};

const matchesMax = 100_000;

function findMatches(
  values: Readonly<Record<string, unknown>>,
  name: string,
  all: boolean,
): Match[] {
  const { input, regex, options } = values;
  if (isNullish(input) || isNullish(regex)) return [];
  const text = requireString(name, input);
  const parts = typeof regex === "string" ? { pattern: regex, options: "" } : regexParts(regex);
  const expression = compileRegex(
    parts.pattern,
    isNullish(options) ? parts.options : requireString(name, options),
  );
  const found: Match[] = [];
  const global = new RegExp(expression.source, `${expression.flags}g`);
  for (const one of text.matchAll(global)) {
    const idx = Array.from(text.slice(0, one.index)).length;
    found.push({ match: one[0], idx, captures: one.slice(1).map((capture) => capture ?? null) });
    if (!all) break;
    if (found.length > matchesMax)
      throw new MongoError("BadValue", `${name} found more than ${matchesMax} matches`);
  }
  return found;
}

function matchDocument({ match, idx, captures }: Match): Document {
  return Object.assign(newDocument(), { match, idx, captures });
}

const regexArguments = [["input", "regex"], ["options"]] as const;

function indexOfPoints(text: unknown, find: unknown, start: unknown, end: unknown): unknown {
  if (isNullish(text)) return null;
  const points = Array.from(requireString("$indexOfCP", text));
  const wanted = requireString("$indexOfCP", find);
  const from = isNullish(start) ? 0 : Number(convert(start, "int"));
  const to = isNullish(end) ? points.length : Math.min(Number(convert(end, "int")), points.length);
  const index = points.slice(from, to).join("").indexOf(wanted);
  return index < 0 ? -1 : from + Array.from(points.slice(from, to).join("").slice(0, index)).length;
}

export const stringOperators: Readonly<Record<string, CompileOperator>> = {
  $concat: positional(0, Infinity, concat),
  $toLower: positional(1, 1, toLower),
  $toUpper: positional(1, 1, toUpper),
  $strcasecmp: positional(2, 2, (a, b) => compareStrings(toUpper(a), toUpper(b))),
  $split: positional(2, 2, split),
  $substr: positional(3, 3, substringBytes),
  $substrBytes: positional(3, 3, substringBytes),
  $substrCP: positional(3, 3, substringPoints),
  $strLenCP: positional(1, 1, (value) => Array.from(requireString("$strLenCP", value)).length),
  $strLenBytes: positional(1, 1, (value) =>
    Buffer.byteLength(requireString("$strLenBytes", value)),
  ),
  $indexOfCP: positional(2, 4, indexOfPoints),
  $trim: trimOperator("$trim"),
  $ltrim: trimOperator("$ltrim"),
  $rtrim: trimOperator("$rtrim"),
  $replaceOne: replaceOperator("$replaceOne"),
  $replaceAll: replaceOperator("$replaceAll"),
  $regexMatch: named(
    ...regexArguments,
    (values) => findMatches(values, "$regexMatch", false).length > 0,
  ),
  $regexFind: named(...regexArguments, (values) => {
    const [first] = findMatches(values, "$regexFind", false);
    return first === undefined ? null : matchDocument(first);
  }),
  $regexFindAll: named(...regexArguments, (values) =>
    findMatches(values, "$regexFindAll", true).map(matchDocument),
  ),
};
