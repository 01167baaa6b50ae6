import { Buffer } from "node:buffer";
import type { FieldNames } from "./field-names.ts";
import { ElementCursor } from "./raw-document.ts";

type Elements = ReadonlyMap<string, { readonly start: number; readonly end: number }>;

/** The document's elements of these names, as a document; undefined where one of them comes twice. */
export function partOf(document: Buffer, names: FieldNames): Buffer | undefined {
  const elements = elementsNamed(document, names);
  return elements && documentOf([...elements.values()].map((one) => sliceOf(document, one)));
}

/**
 * The document with its elements of these names as the part has them: in their places, new ones last.
 * Undefined where one of them comes twice.
 */
export function withPart(document: Buffer, names: FieldNames, part: Buffer): Buffer | undefined {
  const elements = elementsNamed(document, names);
  if (elements === undefined) return undefined;
  const given = new Map(elementsNamed(part));
  const pieces: Buffer[] = [];
  let from = 4;
  for (const [name, { start, end }] of elements) {
    pieces.push(document.subarray(from, start));
    const element = given.get(name);
    if (element !== undefined) pieces.push(sliceOf(part, element));
    given.delete(name);
    from = end;
  }
  pieces.push(document.subarray(from, document.length - 1));
  for (const element of given.values()) pieces.push(sliceOf(part, element));
  return documentOf(pieces);
}

function elementsNamed(document: Buffer, names?: FieldNames): Elements | undefined {
  const found = new Map<string, { start: number; end: number }>();
  const cursor = new ElementCursor(document);
  while (cursor.next()) {
    const name = names === undefined ? cursor.name : names.at(cursor);
    if (name === undefined) continue;
    if (found.has(name)) return undefined;
    found.set(name, { start: cursor.nameStart - 1, end: cursor.end });
  }
  return found;
}

function sliceOf(document: Buffer, { start, end }: { start: number; end: number }): Buffer {
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
