import type { RawValue } from "../../bson/raw-document.ts";
import { bsonType, ElementCursor } from "../../bson/raw-document.ts";
import { decodeDocument, encodeDocument } from "../../document-codec.ts";
import type { Document } from "../../document-codec.ts";
import { MongoError } from "../../errors.ts";
import { findRows } from "../../query/find-rows.ts";
import { allRows } from "../../query/stream.ts";
import type { Row } from "../../query/stream.ts";
import { compileUpdate, fieldKey } from "../../semantics/index.ts";
import type { Collection } from "../../storage/collections/collection.ts";
import type { Call } from "../command.ts";
import { ensureIdFirst } from "../write/document-id.ts";
import { applyUpdate } from "../write/update-statement.ts";

const outputStages = new Set(["$out", "$merge"]);

/** Whether the last stage of a pipeline writes. */
export function writesOutput(pipeline: RawValue | undefined): boolean {
  if (pipeline?.type !== bsonType.array) return false;
  const stages = new ElementCursor(pipeline.bytes, pipeline.start, pipeline.end);
  let writes = false;
  while (stages.next()) {
    writes = false;
    if (stages.type !== bsonType.object) continue;
    const stage = new ElementCursor(stages.bytes, stages.start, stages.end);
    writes = stage.next() && outputStages.has(stage.name);
  }
  return writes;
}

type Target = { readonly db: string; readonly name: string };

function targetOf(value: unknown, db: string, nameField: string): Target {
  if (typeof value === "string") return { db, name: value };
  const into = value as Document | null;
  const name = into?.[nameField];
  if (typeof name !== "string") {
    throw new MongoError("FailedToParse", "the target of $out or $merge must be a collection");
  }
  return { db: typeof into?.["db"] === "string" ? into["db"] : db, name };
}

/** Writes the result of the pipeline with its last stage, `$out` or `$merge`. */
export function writeOutput(call: Call, stage: Document, documents: Iterable<Document>): void {
  call.store.runAtomically(() => {
    if (stage["$out"] !== undefined) replaceAll(call, stage["$out"], documents);
    else new Merge(call, stage["$merge"]).run(documents);
  });
}

function replaceAll(call: Call, operand: unknown, documents: Iterable<Document>): void {
  const { catalog } = call.store;
  const target = targetOf(operand, call.db, "coll");
  // Read all documents first: the target may be the source.
  const results = [...documents].map((document) => ensureIdFirst(encodeDocument(document)));
  const collection = catalog.findOrCreate(target.db, target.name);
  for (const row of allRows(findMatching(call, collection, {}))) {
    collection.remove(row.rid, row.document);
  }
  for (const document of results) collection.insert(document);
}

function findMatching(call: Call, collection: Collection, filter: Document) {
  return findRows(collection, {
    filter: encodeDocument(filter),
    sort: undefined,
    hint: undefined,
    limit: 0,
    variables: undefined,
    now: call.now,
    deadline: call.deadline,
  });
}

const mergeFields = new Set(["into", "on", "let", "whenMatched", "whenNotMatched"]);

class Merge {
  private readonly call: Call;
  private readonly target: Target;
  private readonly on: readonly string[];
  private readonly whenMatched: unknown;
  private readonly whenNotMatched: unknown;
  private readonly variables: Document;

  constructor(call: Call, operand: unknown) {
    const given = (typeof operand === "string" ? { into: operand } : operand) as Document;
    const unknown = Object.keys(given).find((name) => !mergeFields.has(name));
    if (unknown !== undefined) {
      throw new MongoError(40415, `BSON field '$merge.${unknown}' is an unknown field.`);
    }
    const { on = "_id", whenMatched = "merge", whenNotMatched = "insert" } = given;
    this.call = call;
    this.target = targetOf(given["into"], call.db, "coll");
    this.on = Array.isArray(on) ? (on as string[]) : [String(on)];
    this.whenMatched = whenMatched;
    this.whenNotMatched = whenNotMatched;
    this.variables = (given["let"] ?? {}) as Document;
    const actions = ["replace", "keepExisting", "merge", "fail"];
    if (!Array.isArray(whenMatched) && !actions.includes(String(whenMatched))) {
      throw new MongoError("BadValue", `unknown $merge.whenMatched '${String(whenMatched)}'`);
    }
    if (!["insert", "discard", "fail"].includes(String(whenNotMatched))) {
      throw new MongoError("BadValue", `unknown $merge.whenNotMatched '${String(whenNotMatched)}'`);
    }
  }

  run(documents: Iterable<Document>): void {
    const results = [...documents];
    const { db, name } = this.target;
    const collection = this.call.store.catalog.findOrCreate(db, name);
    this.requireUnique(collection);
    for (const document of results) this.mergeOne(collection, document);
  }

  private requireUnique(collection: Collection): void {
    const wanted = this.on.toSorted().join("\0");
    const found = collection.indexes.some(({ definition }) => {
      const paths = definition.fields.map((field) => field.path);
      return definition.unique && paths.toSorted().join("\0") === wanted;
    });
    if (!found) {
      throw new MongoError(51183, "Cannot find index to verify that join fields will be unique");
    }
  }

  private mergeOne(collection: Collection, document: Document): void {
    const withIdentity = decodeDocument(ensureIdFirst(encodeDocument(document)));
    const filter: Document = {};
    for (const path of this.on) filter[fieldKey(path)] = withIdentity[fieldKey(path)] ?? null;
    const row = allRows(findMatching(this.call, collection, filter))[0];
    if (row !== undefined) {
      this.matched(collection, row, withIdentity);
    } else if (this.whenNotMatched === "insert") {
      collection.insert(encodeDocument(withIdentity));
    } else if (this.whenNotMatched === "fail") {
      throw new MongoError(
        13113,
        "$merge could not find a matching document in the target collection",
      );
    }
  }

  private matched(collection: Collection, row: Row, document: Document): void {
    if (this.whenMatched === "keepExisting") return;
    if (this.whenMatched === "fail") {
      // The insert fails with the duplicate key error that $merge must report.
      collection.insert(encodeDocument(document));
      return;
    }
    const existing = decodeDocument(row.document);
    const after: Document | readonly Document[] = Array.isArray(this.whenMatched)
      ? (this.whenMatched as Document[])
      : this.whenMatched === "replace"
        ? document
        : { ...existing, ...document };
    const update = compileUpdate(after, { variables: { ...this.variables, new: document } });
    applyUpdate(collection, row, update, () => ({}), this.call.now);
  }
}
