import { MongoError } from "../../errors.ts";
import { type Document, getField, isDocument } from "../values/document.ts";
import { documentText } from "./value-updates.ts";
import { parseUpdatePath, type UpdatePath } from "./path.ts";
import { type ApplyContext, applyAtPath } from "./apply-at-path.ts";

export type Rename = { readonly source: UpdatePath; readonly target: UpdatePath };

export function parseRename(field: string, operand: unknown): Rename {
  if (typeof operand !== "string") {
    throw new MongoError("BadValue", `The 'to' field for $rename must be a string: ${field}`);
  }
  const source = parseUpdatePath(field);
  const target = parseUpdatePath(operand);
  if (field === operand) {
    throw new MongoError(
      "BadValue",
      `The source and target field for $rename must differ: ${field}: "${operand}"`,
    );
  }
  for (const [end, path] of [
    ["source", source],
    ["destination", target],
  ] as const) {
    if (path.parts.some((part) => part.kind !== "name")) {
      throw new MongoError(
        "BadValue",
        `The ${end} field for $rename may not be dynamic: ${path.text}`,
      );
    }
  }
  return { source, target };
}

export function applyRename(rename: Rename, document: Document, context: ApplyContext): Document {
  refuseArrays("source", rename.source, document, context);
  const value = valueAt(rename.source, document);
  if (value === undefined) return document;
  refuseArrays("destination", rename.target, document, context);
  const moved = applyAtPath(
    { path: rename.target, creates: true, update: () => value },
    document,
    context,
  );
  return applyAtPath(
    { path: rename.source, creates: false, update: () => undefined },
    moved,
    context,
  );
}

function valueAt(path: UpdatePath, document: Document): unknown {
  let value: unknown = document;
  for (const part of path.parts) {
    value = isDocument(value) && part.kind === "name" ? getField(value, part.key) : undefined;
  }
  return value;
}

function refuseArrays(
  end: string,
  path: UpdatePath,
  document: Document,
  context: ApplyContext,
): void {
  let value: unknown = document;
  for (const part of path.parts) {
    if (Array.isArray(value)) {
      throw new MongoError(
        "BadValue",
        `The ${end} field cannot be an array element, '${path.text}' in doc with ${documentText(context)} has an array field called '${part.text}'`,
      );
    }
    value = isDocument(value) && part.kind === "name" ? getField(value, part.key) : undefined;
  }
}
