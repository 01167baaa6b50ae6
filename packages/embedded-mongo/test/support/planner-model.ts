import type { Collection } from "mongodb";
import { MongoServerError } from "mongodb";
import { expect } from "vitest";
import {
  compareBson,
  compilePipeline,
  compileSortKeys,
  compileUpdate,
  decode,
  encode,
  identicalBson,
} from "../../src/semantics/index.ts";
import type { Document } from "../../src/semantics/index.ts";
import { Model, optionsOf, stored } from "./collection-model.ts";
import type { Scenario, Step } from "./planner-scenarios.ts";

/*
 * With any indexes, the server must give the same results as the model and refuse the same
 * requests.
 */

/** Read bytes: an object would move fields with integer names and lose types. */
const raw = { raw: true } as const;

async function readAll(cursor: AsyncIterable<unknown>): Promise<Document[]> {
  const documents: Document[] = [];
  for await (const bytes of cursor) documents.push(decode(bytes as Uint8Array));
  return documents;
}

/** Runs a scenario against the server and against the model, step by step. */
export async function runScenario(collection: Collection, scenario: Scenario): Promise<void> {
  await collection.drop();
  await collection.createIndex({ unused: 1 });
  for (const [number, { key, kind }] of scenario.indexes.entries()) {
    const name = `${number}_${kind}`;
    await collection.createIndex(new Map(key), { ...optionsOf[kind], name }).catch(sameIndex);
  }
  const model = new Model(scenario.indexes);
  for (const document of scenario.documents) await insert(collection, model, document);
  for (const step of scenario.steps) await runStep(collection, model, step);
  await expectSame(collection, model, {});
}

/** A scenario can contain the same index twice. */
function sameIndex(error: { code: number }): void {
  expect([85, 86]).toContain(error.code);
}

/** The result of a request, or its error code. */
async function outcome<T>(promise: Promise<T>): Promise<T | number> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof MongoServerError) return Number(error.code);
    throw error;
  }
}

async function insert(collection: Collection, model: Model, document: object): Promise<void> {
  const given = model.withId(document);
  const whole = stored(given);
  const refusals = model.refusals(whole);
  const answer = await outcome(collection.insertOne(given));
  if (refusals.length > 0) expect(refusals).toContain(answer);
  else {
    expect(answer).toMatchObject({ insertedId: whole["_id"] });
    model.documents.push(whole);
  }
}

async function runStep(collection: Collection, model: Model, step: Step): Promise<void> {
  switch (step.kind) {
    case "insert":
      return insert(collection, model, step.document);
    case "delete": {
      const found = model.matching(step.filter);
      const { deletedCount } = await collection.deleteMany(step.filter);
      expect(deletedCount).toBe(found.length);
      model.documents = model.documents.filter((document) => !found.includes(document));
      return;
    }
    case "update":
      return updateEach(collection, model, step);
    case "upsert":
      return upsert(collection, model, step.filter, step.update);
    case "findAndModify":
      return findAndModify(collection, model, step);
    case "aggregate":
      return aggregate(collection, model, step.pipeline);
    case "find":
      return expectSame(collection, model, step.filter, step);
  }
}

/** The updated document, or the error code. */
function applied(update: Document, document: Document, filter: Document): Document | number {
  try {
    const context = { filter: stored(filter), isInsert: false, now: new Date() };
    return compileUpdate(stored(update)).apply(document, context);
  } catch (error) {
    return (error as { code: number }).code;
  }
}

/** Updates one document at a time, by its id, so that the model knows which one changed. */
async function updateEach(
  collection: Collection,
  model: Model,
  step: Extract<Step, { kind: "update" }>,
): Promise<void> {
  for (const document of model.matching(step.filter).slice(0, 2)) {
    const filter = { $and: [{ _id: document["_id"] }, step.filter] };
    const next = applied(step.update, document, filter);
    const answer = await outcome(collection.updateOne(filter, step.update));
    if (expectRefusal(model, document, next, answer)) continue;
    expect(answer).toMatchObject({ matchedCount: 1, modifiedCount: next === document ? 0 : 1 });
    model.replace(document, next as Document);
  }
}

/** Whether the model refuses the change. The server must then answer one of its error codes. */
function expectRefusal(
  model: Model,
  document: Document | undefined,
  next: Document | number,
  answer: unknown,
): boolean {
  const refusals = typeof next === "number" ? [next] : model.refusals(next, document);
  if (refusals.length === 0 || next === document) return false;
  expect(refusals).toContain(answer);
  return true;
}

async function upsert(
  collection: Collection,
  model: Model,
  filter: Document,
  update: Document,
): Promise<void> {
  if (model.matching(filter).length > 0) return;
  const _id = `upserted ${model.documents.length}`;
  const whole = { ...update, $setOnInsert: { _id } };
  let next: Document | number;
  try {
    next = compileUpdate(stored(whole)).insert(stored(filter), new Date());
  } catch (error) {
    next = (error as { code: number }).code;
  }
  if (model.matching({ _id }).length > 0) return;
  const answer = await outcome(collection.updateOne(filter, whole, { upsert: true }));
  if (expectRefusal(model, undefined, next, answer)) return;
  expect(answer).toMatchObject({ matchedCount: 0, upsertedId: _id });
  model.documents.push(next as Document);
}

async function findAndModify(
  collection: Collection,
  model: Model,
  { filter, update, last }: Extract<Step, { kind: "upsert" | "findAndModify" }>,
): Promise<void> {
  const direction = last ? -1 : 1;
  const [document] = model
    .matching(filter)
    .toSorted((a, b) => direction * compareBson(a["_id"], b["_id"]));
  const command = { query: filter, sort: { _id: direction }, update, new: true };
  const answer = await outcome(changed(collection, command));
  if (document === undefined) {
    // An invalid update is refused before the search.
    expect(answer === null || typeof answer === "number").toBe(true);
    return;
  }
  const next = applied(update, document, filter);
  if (expectRefusal(model, document, next, answer)) return;
  expectOneOf(answer as Document, [next as Document]);
  model.replace(document, next as Document);
}

async function changed(collection: Collection, command: Document): Promise<Document | null> {
  const findAndModify = { findAndModify: collection.collectionName, ...command };
  const { value } = await collection.db.command(findAndModify, raw);
  return value === null ? null : decode(value as Uint8Array);
}

async function aggregate(
  collection: Collection,
  model: Model,
  pipeline: Document[],
): Promise<void> {
  // A limit without a sort before it returns arbitrary documents.
  const names = pipeline.flatMap((stage) => Object.keys(stage));
  if (names.includes("$limit") && names[1] !== "$sort") return;
  let expected: Document[] | number;
  try {
    expected = [...compilePipeline(pipeline, { now: new Date(), read: () => [] })(model.documents)];
  } catch (error) {
    expected = (error as { code: number }).code;
  }
  const answer = await outcome(readAll(collection.aggregate(pipeline, raw)));
  if (typeof expected === "number" || typeof answer === "number") expect(answer).toBe(expected);
  else expect(multiset(answer)).toEqual(multiset(expected));
}

/** Documents without their order. The array of $addToSet has no order either. */
function multiset(documents: readonly Document[]): string[] {
  return documents
    .map((document) => {
      const all = document["all"];
      const ordered = Array.isArray(all)
        ? { ...document, all: all.toSorted(compareBson) }
        : document;
      return Buffer.from(encode(ordered)).toString("hex");
    })
    .toSorted((a, b) => (a < b ? -1 : 1));
}

type Options = {
  readonly sort?: object | undefined;
  readonly skip?: number;
  readonly limit?: number;
};

async function expectSame(
  collection: Collection,
  model: Model,
  filter: Document,
  { sort, skip = 0, limit = 0 }: Options = {},
): Promise<void> {
  const expected = model.matching(filter);
  const cursor = collection.find(filter, raw).skip(skip).limit(limit);
  if (sort === undefined) {
    const found = await readAll(cursor);
    const most = limit === 0 ? Infinity : limit;
    const wanted = Math.min(Math.max(expected.length - skip, 0), most);
    expect(found).toHaveLength(wanted);
    expectSome(found, expected);
    expect(await collection.countDocuments(filter)).toBe(expected.length);
    const bounded = { skip, ...(limit > 0 && { limit }) };
    expect(await collection.countDocuments(filter, bounded)).toBe(wanted);
    return;
  }
  const keys = compileSortKeys(stored(sort));
  const answer = await outcome(readAll(cursor.sort(sort as Record<string, 1 | -1>)));
  let keyed: readonly (readonly unknown[])[];
  try {
    keyed = expected.map(keys.keyOf).toSorted(keys.compareKeys);
  } catch (error) {
    // Parallel arrays: the server refuses them too, unless an index already gives the order.
    expect(typeof answer === "number" ? answer : 2).toBe((error as { code: number }).code);
    return;
  }
  const wanted = keyed.slice(skip, limit === 0 ? undefined : skip + limit);
  const found = answer as Document[];
  expect(found).toHaveLength(wanted.length);
  for (const [index, document] of found.entries()) {
    expect(keys.compareKeys(keys.keyOf(document), wanted[index] ?? [])).toBe(0);
  }
  expectSome(found, expected);
}

/** Checks that each document is expected and that none is repeated. */
function expectSome(found: readonly Document[], expected: readonly Document[]): void {
  for (const document of found) expectOneOf(document, expected);
  const ids = found.map(({ _id }) => Buffer.from(encode({ _id })).toString("hex"));
  expect(new Set(ids).size).toBe(ids.length);
}

function expectOneOf(document: Document, expected: readonly Document[]): void {
  const same = expected.find((one) => identicalBson(one["_id"], document["_id"]));
  expect(same && Buffer.from(encode(same))).toEqual(Buffer.from(encode(document)));
}
