import { assert } from "@malipo/core";
import bidiModule from "bidi-js";
import { missingGlyph, type Face } from "./fonts.ts";

/** A piece of a line in one font and one direction. */
export interface Run {
  readonly text: string;
  readonly face: Face;
}

// The package is CommonJS and exports one function, which its types declare as a default export.
const bidi = (bidiModule as unknown as typeof bidiModule.default)();

/** Splits a line into runs, in visual order from left to right. */
export function splitRuns(line: string, faces: readonly Face[]): Run[] {
  const embedding = bidi.getEmbeddingLevels(line);
  const { levels } = embedding;
  const mirrored = bidi.getMirroredCharactersMap(line, embedding.levels);
  const rightToLeftFirst = faces.toReversed();
  const runs: Piece[] = [];
  let index = 0;
  for (const character of line) {
    const level = levels[index] ?? 0;
    const last = runs.at(-1)?.level === level ? runs.at(-1) : undefined;
    const order = isRightToLeft(level) ? rightToLeftFirst : faces;
    const { text, face } = glyphFor(mirrored.get(index) ?? character, order, last?.face);
    index += character.length;
    if (last?.face === face) last.text += text;
    else runs.push({ text, face, level });
  }
  return inVisualOrder(runs).map(({ text, face, level }) => {
    // The font reverses letters of right-to-left scripts. Brackets and spaces are reversed here.
    const mustReverse = isRightToLeft(level) && !/\p{L}/u.test(text);
    return { text: mustReverse ? Array.from(text).toReversed().join("") : text, face };
  });
}

interface Piece {
  text: string;
  readonly face: Face;
  readonly level: number;
}

function isRightToLeft(level: number): boolean {
  return level % 2 === 1;
}

/** Marks, spaces and punctuation stay in the font of the run before, if that font has them. */
function glyphFor(
  character: string,
  faces: readonly Face[],
  before: Face | undefined,
): { text: string; face: Face } {
  const codePoint = character.codePointAt(0) ?? 0;
  if (before && isWeak(character) && before.has(codePoint))
    return { text: character, face: before };
  const face = faces.find((each) => each.has(codePoint));
  if (face) return { text: character, face };
  const widest = faces.find((each) => each.has(missingGlyph.charCodeAt(0)));
  assert(widest !== undefined, "one of the fonts has the glyph for missing characters");
  // An accent without a glyph is dropped; its letter stays.
  if (/\p{M}/u.test(character)) return { text: "", face: before ?? widest };
  return { text: missingGlyph, face: widest };
}

function isWeak(character: string): boolean {
  return /[\p{M}\s\p{P}]/u.test(character);
}

/** Reverses runs level by level, from the deepest, as the Unicode bidirectional algorithm (rule L2) does. */
function inVisualOrder<Piece extends { readonly level: number }>(
  pieces: readonly Piece[],
): Piece[] {
  const ordered = [...pieces];
  const deepest = Math.max(0, ...pieces.map(({ level }) => level));
  for (let level = deepest; level >= 1; level -= 1) {
    let from = 0;
    while (from < ordered.length) {
      let to = from;
      while ((ordered[to]?.level ?? -1) >= level) to += 1;
      if (to > from) ordered.splice(from, to - from, ...ordered.slice(from, to).toReversed());
      from = Math.max(to, from + 1);
    }
  }
  return ordered;
}
