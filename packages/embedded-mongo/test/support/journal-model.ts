import { Buffer } from "node:buffer";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { decodeDocument, encodeDocument } from "../../src/document-codec.ts";
import type { Collection } from "../../src/storage/collections/collection.ts";
import { Store } from "../../src/storage/store.ts";
import { killedCopy } from "./killed-copy.ts";

/*
 * Runs random histories on a store and on a map of its expected documents, with kills between and
 * within groups.
 */

type Write = { readonly id: number; readonly value: number | readonly number[] | undefined };
type Ending = "committed" | "rolledBack" | "schemaChange";
type Step =
  | { readonly kind: "group"; readonly writes: readonly Write[]; readonly ending: Ending }
  | { readonly kind: "atomicPart"; readonly kept: Write; readonly undone: Write }
  | { readonly kind: "overlay"; readonly writes: readonly Write[] }
  | { readonly kind: "idleCommit" }
  | { readonly kind: "kill"; readonly unfinished: readonly Write[] };

const write: fc.Arbitrary<Write> = fc.record({
  id: fc.nat(9),
  value: fc.option(fc.oneof(fc.nat(5), fc.array(fc.nat(5), { maxLength: 3 })), { nil: undefined }),
});
const writes = fc.array(write, { minLength: 1, maxLength: 5 });
const ending = fc.constantFrom<Ending>("committed", "committed", "rolledBack", "schemaChange");
const group = fc.record({ kind: fc.constant("group"), writes, ending });
const step: fc.Arbitrary<Step> = fc.oneof(
  group,
  group,
  fc.record({ kind: fc.constant("atomicPart"), kept: write, undone: write }),
  fc.record({ kind: fc.constant("overlay"), writes }),
  fc.record({ kind: fc.constant("idleCommit") }),
  fc.record({ kind: fc.constant("kill"), unfinished: fc.array(write, { maxLength: 3 }) }),
);
export const history = fc.record({
  redoBytesMax: fc.constantFrom(1, 300, 100_000),
  steps: fc.array(step, { minLength: 5, maxLength: 30 }),
});

type Model = Map<number, Write["value"]>;

export async function replayHistory({
  redoBytesMax,
  steps,
}: {
  readonly redoBytesMax: number;
  readonly steps: readonly Step[];
}): Promise<void> {
  let dir = mkdtempSync(join(tmpdir(), "embedded-mongo-model-"));
  let store = new Store(dir, redoBytesMax);
  let model: Model = new Map();
  try {
    await runGroup(store, () => {
      const list = store.catalog.create("test", "list", {});
      store.catalog.addIndex(list, { v: 2, key: { value: 1 }, name: "value_1" });
    });
    for (const one of steps) {
      if (one.kind !== "kill") {
        model = await perform(store, model, one);
        check(store, model);
        continue;
      }
      store.group.join();
      for (const unfinished of one.unfinished) apply(store, new Map(model), unfinished);
      const copy = killedCopy(dir);
      store.close();
      rmSync(dir, { recursive: true });
      dir = copy;
      store = new Store(dir, redoBytesMax);
      check(store, model);
    }
  } finally {
    store.close();
    rmSync(dir, { recursive: true });
  }
}

const listOf = (store: Store): Collection => store.catalog.find("test", "list")!;

/** Performs a step. Returns the expected documents afterwards. */
async function perform(
  store: Store,
  model: Model,
  step: Exclude<Step, { kind: "kill" }>,
): Promise<Model> {
  const after = new Map(model);
  if (step.kind === "idleCommit") {
    store.commitWhenIdle();
    store.commitWhenIdle();
  } else if (step.kind === "overlay") {
    store.beginOverlay();
    for (const one of step.writes) apply(store, after, one);
    store.rollBackOverlay();
    return model;
  } else if (step.kind === "atomicPart") {
    await runGroup(store, () => {
      const undone = () => {
        apply(store, new Map(after), step.undone);
        throw new Error("undone");
      };
      expect(() => store.runAtomically(undone)).toThrow("undone");
      apply(store, after, step.kept);
    });
  } else if (step.ending === "rolledBack") {
    store.group.join();
    for (const one of step.writes) apply(store, after, one);
    store.group.rollBack(new Error("rolledBack"));
    return model;
  } else {
    await runGroup(store, () => {
      if (step.ending === "schemaChange") store.catalog.setOptions(listOf(store), { n: 1 });
      for (const one of step.writes) apply(store, after, one);
    });
  }
  return after;
}

function runGroup(store: Store, change: () => void): Promise<void> {
  store.group.join();
  change();
  return new Promise((committed, failed) => {
    store.group.whenDurable({ onDurable: committed, onFailed: failed });
    store.group.commit();
  });
}

function apply(store: Store, model: Model, { id, value }: Write): void {
  const list = listOf(store);
  const row = rowsOf(list).find(({ document }) => document["_id"] === id);
  const after = encodeDocument({ _id: id, value: value ?? null });
  if (row === undefined) list.insert(after);
  else if (value === undefined) list.remove(row.rid, row.bytes);
  else list.replace(row.rid, row.bytes, after);
  if (row !== undefined && value === undefined) model.delete(id);
  else model.set(id, value);
  store.sessions.save(Buffer.from([id]), BigInt(model.size), after);
}

function rowsOf(list: Collection) {
  const rows = list.statement(`SELECT rid, doc FROM ${list.table}`).all();
  return (rows as unknown as [number, Uint8Array][]).map(([rid, doc]) => {
    const bytes = Buffer.from(doc);
    return { rid, bytes, document: decodeDocument(bytes) };
  });
}

function check(store: Store, model: Model): void {
  const list = listOf(store);
  const stored = new Map(rowsOf(list).map(({ document }) => [document["_id"], document["value"]]));
  expect(stored).toEqual(new Map([...model].map(([id, value]) => [id, value ?? null])));
  expect(list.count).toBe(model.size);
  const index = list.indexes.at(-1);
  const keys = store.sql.prepare(`SELECT count(*) AS n FROM ${index?.table}`).get();
  const expected = [...model.values()].map((value) =>
    Array.isArray(value) ? Math.max(1, new Set(value).size) : 1,
  );
  expect(keys).toEqual({ n: expected.reduce((sum, count) => sum + count, 0) });
  if (expected.some((count) => count > 1)) expect(index?.isMultikey).toBe(true);
}
