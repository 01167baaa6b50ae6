import { serialize } from "bson";
import fc from "fast-check";
import type { Collection } from "mongodb";
import { MongoServerError } from "mongodb";
import { expect } from "vitest";
import {
  compileFilter,
  compileSortKeys,
  compileUpdate,
  decode,
  encode,
  identicalBson,
} from "../../src/semantics/index.ts";
import type { Document } from "../../src/semantics/index.ts";
import { fieldPaths, smallDocuments, smallFilters, smallSorts } from "./arbitrary-values.ts";

/*
 * The model of a collection: an array of documents, read by the pure functions. Whatever indexes the
 * server uses, it must answer what the model answers.
 */

/** A driver's document as the semantics hold it. */
export function stored(document: object): Document {
  return decode(serialize(document));
}

const raw = { raw: true } as const;

async function readAll(cursor: AsyncIterable<unknown>): Promise<Document[]> {
  const documents: Document[] = [];
  for await (const bytes of cursor) documents.push(decode(bytes as Uint8Array));
  return documents;
}

const indexKeys = fc.uniqueArray(fc.tuple(fieldPaths, fc.constantFrom<1 | -1>(1, -1)), {
  minLength: 1,
  maxLength: 3,
  selector: ([path]) => path,
});
const indexes = fc.record({
  key: indexKeys,
  kind: fc.constantFrom("plain", "plain", "sparse", "partial"),
});

const updates: fc.Arbitrary<Document> = fc.oneof(
  fc
    .tuple(fieldPaths, smallDocuments)
    .map(([path, source]) => ({ $set: { [path]: source["a"] ?? 5 } })),
  fieldPaths.map((path) => ({ $unset: { [path]: 1 } })),
  fc.tuple(fieldPaths, fc.constantFrom(1, 2)).map(([path, by]) => ({ $inc: { [path]: by } })),
  fc
    .tuple(fieldPaths, fc.constantFrom<unknown>(1, "x", null))
    .map(([path, value]) => ({ $push: { [path]: value } })),
  fc
    .tuple(fieldPaths, fc.constantFrom<unknown>(1, "x"))
    .map(([path, value]) => ({ $addToSet: { [path]: value } })),
  fc
    .tuple(fieldPaths, fc.constantFrom<unknown>(1, { $gt: 0 }))
    .map(([path, value]) => ({ $pull: { [path]: value } })),
  fieldPaths.map((path) => ({ $pop: { [path]: 1 } })),
  fc.tuple(fieldPaths, fieldPaths).map(([from, to]) => ({ $rename: { [from]: to } })),
  fc
    .tuple(fieldPaths, fc.constantFrom<unknown>(1, "x", null))
    .map(([path, value]) => ({ $min: { [path]: value } })),
  fieldPaths.map((path) => ({ $set: { [`${path}.$[]`]: 3 } })),
  fieldPaths.map((path) => ({ $set: { [`${path}.$`]: 7 } })),
);

const steps = fc.oneof(
  {
    weight: 2,
    arbitrary: smallDocuments.map((document) => ({ kind: "insert" as const, document })),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      filter: smallFilters,
      update: updates,
    }),
  },
  { weight: 1, arbitrary: smallFilters.map((filter) => ({ kind: "delete" as const, filter })) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("find" as const),
      filter: smallFilters,
      sort: fc.option(smallSorts, { nil: undefined }),
      skip: fc.nat(2),
      limit: fc.nat(4),
    }),
  },
);

export const scenarios = fc.record({
  indexes: fc.array(indexes, { maxLength: 3 }),
  documents: fc.array(smallDocuments, { minLength: 1, maxLength: 12 }),
  steps: fc.array(steps, { minLength: 1, maxLength: 12 }),
});

export type Scenario = typeof scenarios extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Scenario["steps"][number];

class Model {
  readonly documents: Document[] = [];
  #nextId = 1;

  insert(document: object): object {
    const whole = { _id: this.#nextId, ...document };
    this.#nextId += 1;
    return whole;
  }

  matching(filter: Document): Document[] {
    const { matches } = compileFilter(stored(filter));
    return this.documents.filter((document) => matches(document));
  }
}

/** Runs a scenario against the server and against the model, step by step. */
export async function runScenario(collection: Collection, scenario: Scenario): Promise<void> {
  await collection.drop();
  await collection.createIndex({ unused: 1 });
  const model = new Model();
  for (const { key, kind } of scenario.indexes) {
    const options = {
      plain: {},
      sparse: { sparse: true },
      partial: { partialFilterExpression: { a: { $gt: 1 } } },
    }[kind];
    const name = `${kind}_${key.flat().join("_")}`;
    await collection.createIndex(new Map(key), { ...options, name });
  }
  for (const document of scenario.documents) await insert(collection, model, document);
  for (const step of scenario.steps) await runStep(collection, model, step);
  await expectSame(collection, model, {});
}

async function failure(promise: Promise<unknown>): Promise<number | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (error instanceof MongoServerError) return Number(error.code);
    throw error;
  }
}

/** Documents that two arrays keep out of an index are refused by the server: the model leaves them. */
const parallelArrays = 171;

async function insert(collection: Collection, model: Model, document: object): Promise<void> {
  const whole = model.insert(document);
  const code = await failure(collection.insertOne(whole));
  if (code === undefined) model.documents.push(stored(whole));
  else expect(code).toBe(parallelArrays);
}

async function runStep(collection: Collection, model: Model, step: Step): Promise<void> {
  switch (step.kind) {
    case "insert":
      return insert(collection, model, step.document);
    case "delete": {
      const found = model.matching(step.filter);
      const { deletedCount } = await collection.deleteMany(step.filter);
      expect(deletedCount).toBe(found.length);
      for (const document of found) model.documents.splice(model.documents.indexOf(document), 1);
      return;
    }
    case "update":
      return update(collection, model, step);
    case "find":
      return expectSame(collection, model, step.filter, step);
  }
}

/** One document at a time, by its id, so that the model knows which one it was. */
async function update(
  collection: Collection,
  model: Model,
  step: Extract<Step, { kind: "update" }>,
): Promise<void> {
  for (const document of model.matching(step.filter).slice(0, 2)) {
    const filter = { $and: [{ _id: document["_id"] }, step.filter] };
    let next: Document | number;
    try {
      next = compileUpdate(stored(step.update)).apply(document, {
        filter: stored(filter),
        isInsert: false,
        now: new Date(),
      });
    } catch (error) {
      next = (error as { code: number }).code;
    }
    const promise = collection.updateOne(filter, step.update);
    const code = await failure(promise);
    if (typeof next === "number") {
      expect(code).toBe(next);
    } else if (code === undefined) {
      expect((await promise).modifiedCount).toBe(next === document ? 0 : 1);
      model.documents[model.documents.indexOf(document)] = next;
    } else {
      expect(code).toBe(parallelArrays);
    }
  }
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
  options: Options = {},
): Promise<void> {
  const expected = model.matching(filter);
  const { sort, skip = 0, limit = 0 } = options;
  const cursor = collection.find(filter, raw).skip(skip).limit(limit);
  if (sort === undefined) {
    const found = await readAll(cursor);
    const most = limit === 0 ? Infinity : limit;
    expect(found).toHaveLength(Math.min(Math.max(expected.length - skip, 0), most));
    for (const document of found) expectOneOf(document, expected);
    expect(await collection.countDocuments(filter)).toBe(expected.length);
    return;
  }
  const keys = compileSortKeys(stored(sort));
  let keyed: readonly (readonly unknown[])[];
  try {
    keyed = expected.map(keys.keyOf).toSorted(keys.compareKeys);
  } catch (error) {
    // Parallel arrays: the server says so too, unless an index has them in order already.
    const code = await failure(readAll(cursor.sort(sort as never)));
    expect([undefined, (error as { code: number }).code]).toContain(code);
    return;
  }
  const found = await readAll(cursor.sort(sort as never));
  const wanted = keyed.slice(skip, limit === 0 ? undefined : skip + limit);
  expect(found).toHaveLength(wanted.length);
  for (const [index, document] of found.entries()) {
    expect(keys.compareKeys(keys.keyOf(document), wanted[index] ?? [])).toBe(0);
  }
  for (const document of found) expectOneOf(document, expected);
}

function expectOneOf(document: Document, expected: readonly Document[]): void {
  const same = expected.find((one) => identicalBson(one["_id"], document["_id"]));
  expect(same && Buffer.from(encode(same))).toEqual(Buffer.from(encode(document)));
}
