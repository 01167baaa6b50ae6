import { Buffer } from "node:buffer";
import type { FieldNames } from "./field-names.ts";
import { ElementCursor, type RawValue } from "./raw-document.ts";

/** A whole element, from its type to the end of its value. */
type Element = { readonly start: number; readonly end: number; readonly value: RawValue };

/** The bytes of the elements that stand in the place of one, or undefined if that cannot be said. */
export type Rewrite = (current: RawValue | undefined) => readonly Buffer[] | undefined;

/** The document's elements of these names, as a document; undefined where one of them comes twice. */
export function partOf(document: Buffer, names: FieldNames): Buffer | undefined {
  const elements = elementsNamed(document, names);
  return elements && documentOf([...elements.values()].map((one) => bytesOf(document, one)));
}

/**
 * The document with its elements of these names as the part has them: in their places, new ones last.
 * Undefined where one of them comes twice.
 */
export function withPart(document: Buffer, names: FieldNames, part: Buffer): Buffer | undefined {
  const given = elementsNamed(part) ?? new Map<string, Element>();
  const rewrites = new Map<string, Rewrite>();
  for (const name of names) rewrites.set(name, () => []);
  for (const [name, element] of given) {
    rewrites.delete(name);
    rewrites.set(name, () => [bytesOf(part, element)]);
  }
  return withRewritten(document, names, rewrites);
}

/**
 * The document with its elements of these names rewritten: in their places, new ones last and in the
 * order of the rewrites. Undefined where one of them comes twice, or a rewrite does not say.
 */
export function withRewritten(
  document: Buffer,
  names: FieldNames,
  rewrites: ReadonlyMap<string, Rewrite>,
): Buffer | undefined {
  const elements = elementsNamed(document, names);
  if (elements === undefined) return undefined;
  const pieces: Buffer[] = [];
  let from = 4;
  for (const [name, { start, end, value }] of elements) {
    const written = rewrites.get(name)?.(value);
    if (written === undefined) return undefined;
    pieces.push(document.subarray(from, start), ...written);
    from = end;
  }
  pieces.push(document.subarray(from, document.length - 1));
  for (const [name, rewrite] of rewrites) {
    if (elements.has(name)) continue;
    const written = rewrite(undefined);
    if (written === undefined) return undefined;
    pieces.push(...written);
  }
  return documentOf(pieces);
}

function elementsNamed(document: Buffer, names?: FieldNames): Map<string, Element> | undefined {
  const found = new Map<string, Element>();
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    const name = names === undefined ? cursor.name : names.at(cursor);
    if (name === undefined) continue;
    if (found.has(name)) return undefined;
    found.set(name, { start: cursor.nameStart - 1, end: cursor.end, value: cursor.value });
  }
  return found;
}

function bytesOf(document: Buffer, { start, end }: Element): Buffer {
  return document.subarray(start, end);
}

/** Of whole elements, one after the other. */
export function documentOf(pieces: readonly Buffer[]): Buffer {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 5);
  const out = Buffer.allocUnsafe(size);
  let at = out.writeInt32LE(size, 0);
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length;
  }
  out[at] = 0;
  return out;
}
