import { setFlagsFromString } from "node:v8";
import { MongoError } from "../../../errors.ts";
import { regexParts } from "../comparison/compare.ts";
import { spellOutCases } from "./case-insensitive.ts";

/*
 * MongoDB uses PCRE2; this server uses JavaScript's engine. Syntax that only PCRE2 has is refused,
 * so that it does not get another meaning. An expression with excessive backtracking continues in
 * V8's linear engine, which supports everything except back references and look-around.
 */
setFlagsFromString("--enable-experimental-regexp-engine-on-excessive-backtracks");

const patternLengthMax = 32_764;

const onlyInPcre: readonly (readonly [RegExp, string])[] = [
  [/(?<!\\)(?:\\\\)*\\([AZzGQEhHRKXN])/, "escape"],
  [/(?<!\\)(?:\\\\)*\(\?[>|#PR0-9&(+]/, "group"],
  [/\[\[?:\^?[a-z]+:\]/, "POSIX class"],
];

function invalid(problem: string): MongoError {
  return new MongoError(51091, `Regular expression is invalid: ${problem}`);
}

/** The JavaScript regular expression for a pattern and MongoDB's options (i, m, s, u, x). */
export function compileRegex(pattern: string, options: string): RegExp {
  if (pattern.includes("\0"))
    throw new MongoError("BadValue", "Regular expression cannot contain an embedded null byte");
  if (pattern.length > patternLengthMax) throw invalid("pattern is too large");
  const unknown = /[^imsux]/.exec(options);
  if (unknown !== null)
    throw new MongoError(51108, ` invalid flag in regex options: ${unknown[0]}`);
  const inline = /^\(\?([imsx]+)\)/.exec(pattern);
  const allOptions = options + (inline?.[1] ?? "");
  let body = inline === null ? pattern : pattern.slice(inline[0].length);
  for (const [construct, name] of onlyInPcre) {
    const found = construct.exec(body);
    if (found !== null) throw invalid(`${name} ${found[0]} is not supported by this server`);
  }
  if (allOptions.includes("x")) body = withoutComments(body);
  const cases = allOptions.includes("i") ? spellOutCases(body) : undefined;
  const wanted = cases === undefined ? "ims" : "ms";
  const flags = [...new Set(allOptions)].filter((flag) => wanted.includes(flag)).join("");
  return compileFor(cases ?? body, flags);
}

/**
 * Uses Unicode mode only if the pattern needs it, because V8's linear engine does not support it.
 */
function compileFor(body: string, flags: string): RegExp {
  const unicode = /[^\p{ASCII}]|\\p\{/u.test(body);
  try {
    return new RegExp(body, unicode ? `${flags}u` : flags);
  } catch (error) {
    if (!unicode) throw invalid((error as Error).message);
    return compileWithoutUnicode(body, flags);
  }
}

/** Falls back to no Unicode mode, which allows unnecessary escapes. */
function compileWithoutUnicode(body: string, flags: string): RegExp {
  try {
    return new RegExp(body, flags);
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

/** The option x: whitespace and comments outside of classes are ignored. */
function withoutComments(pattern: string): string {
  let result = "";
  let inClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] as string;
    if (char === "\\") {
      result += char + (pattern[at + 1] ?? "");
      at += 1;
    } else if (inClass || !/[\s#]/.test(char)) {
      if (char === "[") inClass = true;
      if (char === "]") inClass = false;
      result += char;
    } else if (char === "#") {
      while (at + 1 < pattern.length && pattern[at + 1] !== "\n") at += 1;
    }
  }
  return result;
}

export function regexOf(value: unknown): RegExp {
  const { pattern, options } = regexParts(value);
  return compileRegex(pattern, options);
}
