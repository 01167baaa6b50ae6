import { bsonType } from "../bson/raw-document.ts";
import type { RawValue } from "../bson/raw-document.ts";

const special = new Set("\\^$.|?*+()[]{}");
const quantifiers = new Set("?*{");

/** The text with which every match begins, if the pattern is anchored and has no options. */
export function literalPrefix(value: RawValue): string | undefined {
  const pattern = patternOf(value);
  if (pattern === undefined || !pattern.startsWith("^") || pattern.includes("|")) return undefined;
  let end = 1;
  while (end < pattern.length && !special.has(pattern[end]!)) end++;
  const next = pattern[end];
  if (next !== undefined && quantifiers.has(next)) end--;
  return end <= 1 ? undefined : pattern.slice(1, end);
}

/** Whether the pattern requires only the prefix. */
export function isOnlyPrefix(value: RawValue): boolean {
  const prefix = literalPrefix(value);
  return prefix !== undefined && patternOf(value) === `^${prefix}`;
}

function patternOf({ bytes, type, start, end }: RawValue): string | undefined {
  if (type === bsonType.string) return bytes.toString("utf8", start + 4, end - 1);
  if (type !== bsonType.regex) return undefined;
  const patternEnd = bytes.indexOf(0, start);
  const hasOptions = patternEnd + 2 !== end;
  return hasOptions ? undefined : bytes.toString("utf8", start, patternEnd);
}
