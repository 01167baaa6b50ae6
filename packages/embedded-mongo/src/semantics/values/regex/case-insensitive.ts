/** Non-ASCII text, and escapes and groups whose letters are not text to match. */
const notPlain = /[^\p{ASCII}]|\\[xuckp0-9]|\(\?</u;

/**
 * Writes the option `i` into the pattern (`a` becomes `[aA]`), because V8's linear engine does not
 * support the flag. `undefined` if the pattern is not plain ASCII.
 */
export function spellOutCases(pattern: string): string | undefined {
  if (notPlain.test(pattern)) return undefined;
  let result = "";
  let at = 0;
  while (at < pattern.length) {
    const char = pattern[at] as string;
    if (char === "\\") {
      result += pattern.slice(at, at + 2);
      at += 2;
    } else if (char === "[") {
      const end = endOfClass(pattern, at);
      const inside = spellOutClassCases(pattern.slice(at + 1, end));
      if (inside === undefined) return undefined;
      result += `[${inside}]`;
      at = end + 1;
    } else {
      result += isLetter(char) ? `[${bothCases(char)}]` : char;
      at += 1;
    }
  }
  return result;
}

function isLetter(char: string): boolean {
  return /^[a-zA-Z]$/.test(char);
}

function bothCases(char: string): string {
  return char.toLowerCase() + char.toUpperCase();
}

function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  while (at < pattern.length && pattern[at] !== "]") at += pattern[at] === "\\" ? 2 : 1;
  return at;
}

/** Doubles a range within one case. Undefined for other ranges with letters. */
function spellOutClassCases(inside: string): string | undefined {
  let result = "";
  for (const [token] of inside.matchAll(/\\.|[^\\]-[^\]\\]|[^]/g)) {
    if (token.length === 3) {
      const [from, to] = [token[0] as string, token[2] as string];
      if (/^(?:[a-z]-[a-z]|[A-Z]-[A-Z])$/.test(token)) {
        result += `${from.toLowerCase()}-${to.toLowerCase()}${from.toUpperCase()}-${to.toUpperCase()}`;
      } else if (from <= "z" && to >= "A" && !/^[0-9]-[0-9]$/.test(token)) return undefined;
      else result += token;
    } else result += isLetter(token) ? bothCases(token) : token;
  }
  return result;
}
