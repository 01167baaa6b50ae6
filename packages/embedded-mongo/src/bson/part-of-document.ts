import { Buffer } from "node:buffer";
import type { FieldNames } from "./field-names.ts";
import { ElementCursor, type RawValue } from "./raw-document.ts";

/** The range of an element, from its type byte to the end of its value. */
type Element = { readonly start: number; readonly end: number; readonly value: RawValue };

/**
 * Maps the current value of a field to the elements that replace it. Returns undefined if the
 * change cannot be made on bytes.
 */
export type FieldRewrite = (current: RawValue | undefined) => readonly Buffer[] | undefined;

/** A document of only the named fields. Undefined if one of them is repeated in the document. */
export function selectFields(document: Buffer, names: FieldNames): Buffer | undefined {
  const elements = elementsNamed(document, names);
  return elements && joinElements([...elements.values()].map((one) => bytesOf(document, one)));
}

/**
 * Replaces the named fields by those of `part`. Existing fields keep their position, new ones are
 * appended, and fields that `part` does not have are removed. Undefined if a named field is
 * repeated.
 */
export function replaceFields(
  document: Buffer,
  names: FieldNames,
  part: Buffer,
): Buffer | undefined {
  const given = elementsNamed(part) ?? new Map<string, Element>();
  const rewrites = new Map<string, FieldRewrite>();
  for (const name of names) rewrites.set(name, () => []);
  for (const [name, element] of given) {
    rewrites.delete(name);
    rewrites.set(name, () => [bytesOf(part, element)]);
  }
  return rewriteFields(document, names, rewrites);
}

/**
 * Rewrites the named fields. Existing fields keep their position; new ones are appended in the
 * order of `rewrites`. Undefined if a named field is repeated or a rewrite returns undefined.
 */
export function rewriteFields(
  document: Buffer,
  names: FieldNames,
  rewrites: ReadonlyMap<string, FieldRewrite>,
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
  return joinElements(pieces);
}

function elementsNamed(document: Buffer, names?: FieldNames): Map<string, Element> | undefined {
  const found = new Map<string, Element>();
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    const name = names === undefined ? cursor.name : names.matchAt(cursor);
    if (name === undefined) continue;
    if (found.has(name)) return undefined;
    found.set(name, { start: cursor.nameStart - 1, end: cursor.end, value: cursor.value });
  }
  return found;
}

function bytesOf(document: Buffer, { start, end }: Element): Buffer {
  return document.subarray(start, end);
}

/** Builds a document from complete elements. */
export function joinElements(pieces: readonly Buffer[]): Buffer {
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
