import { assert } from "@malipo/core";
import bidiModule from "bidi-js";
import { missingGlyph, type Face } from "./fonts.ts";

/** A piece of a line in one font and one direction. */
export interface Run {
  readonly text: string;
  readonly face: Face;
}

// The package is CommonJS whose whole export is the function that its types call the default.
const bidi = (bidiModule as unknown as typeof bidiModule.default)();

/** A line's pieces in the order in which they stand on paper. */
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
    // The font turns round what it knows to be read from the right; brackets and spaces it does not.
    const isTurned = isRightToLeft(level) && !/\p{L}/u.test(text);
    return { text: isTurned ? Array.from(text).toReversed().join("") : text, face };
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

/** Marks and spaces stay with what is before them, if its font has them. */
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
  assert(widest !== undefined, "a font has the sign for what no font has");
  // A mark that cannot be written leaves the letter that it stands on.
  if (/\p{M}/u.test(character)) return { text: "", face: before ?? widest };
  return { text: missingGlyph, face: widest };
}

function isWeak(character: string): boolean {
  return /[\p{M}\s\p{P}]/u.test(character);
}

/** From the deepest level up, what reads from right to left is turned round. */
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
