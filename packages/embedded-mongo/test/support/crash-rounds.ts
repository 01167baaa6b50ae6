import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { expect } from "vitest";
import { childServer, shortLogServer } from "./child-server.ts";

type Counted = { _id: string; name: string; group: number; version: number };

const writers = 8;
const acknowledgedMin = 15;

/** The acknowledged writes, which must survive every crash. */
type Acknowledged = { readonly versions: Map<string, number>; readonly removed: Set<string> };

/**
 * Writes from many clients, kills the server and starts it again. Checks that all
 * acknowledged writes exist and that the indexes match the documents.
 */
export async function crashRounds(rounds: number, writesMs: () => number): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), "embedded-mongo-crash-"));
  const acknowledged: Acknowledged = { versions: new Map(), removed: new Set() };
  try {
    for (let round = 0; round < rounds; round++) {
      const server = await (round % 2 === 0 ? childServer(dir) : shortLogServer(dir));
      const client = await MongoClient.connect(server.uri, { serverSelectionTimeoutMS: 2_000 });
      const docs = client.db("crash").collection<Counted>("docs");
      await docs.createIndex({ name: 1 }, { unique: true });
      await docs.createIndex({ group: 1, version: -1 });
      await verify(client, acknowledged);
      const stop = new AbortController();
      const writing = Array.from({ length: writers }, (_, i) => {
        return write(client, acknowledged, `${round}-${i}`, stop.signal);
      });
      await new Promise((resolve) => setTimeout(resolve, writesMs()));
      // Even on a slow machine, wait for enough acknowledged writes.
      const ended = new AbortController();
      void Promise.all(writing).then(() => ended.abort());
      const enough = (round + 1) * acknowledgedMin;
      while (acknowledged.versions.size < enough && !ended.signal.aborted) await nextTurn();
      await server.kill();
      stop.abort();
      await client.close(true);
      await Promise.all(writing);
    }
    const server = await childServer(dir);
    const client = await MongoClient.connect(server.uri);
    await verify(client, acknowledged);
    await client.close();
    await server.kill();
    return acknowledged.versions.size;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function write(
  client: MongoClient,
  acknowledged: Acknowledged,
  prefix: string,
  stopped: AbortSignal,
): Promise<void> {
  const docs = client.db("crash").collection<Counted>("docs");
  for (let n = 0; !stopped.aborted; n++) {
    const _id = `${prefix}-${n}`;
    try {
      await docs.insertOne({ _id, name: `name-${_id}`, group: n % 7, version: 1 });
      acknowledged.versions.set(_id, 1);
      await docs.updateOne({ _id }, { $inc: { version: 1 }, $set: { group: n % 5 } });
      acknowledged.versions.set(_id, 2);
      if (n % 10 === 9) {
        const removedId = `${prefix}-${n - 5}`;
        acknowledged.versions.delete(removedId);
        await docs.deleteOne({ _id: removedId });
        acknowledged.removed.add(removedId);
      }
    } catch {
      // The outcome is unknown to the writer, so the test expects nothing of this write.
      return;
    }
  }
}

async function verify(client: MongoClient, acknowledged: Acknowledged): Promise<void> {
  const docs = client.db("crash").collection<Counted>("docs");
  const found = await docs.find({}, { hint: { $natural: 1 } }).toArray();
  const byId = new Map(found.map((one) => [one._id, one]));
  const lost = [...acknowledged.versions].filter(
    ([id, version]) => (byId.get(id)?.version ?? 0) < version,
  );
  expect(lost).toEqual([]);
  expect([...acknowledged.removed].filter((id) => byId.has(id))).toEqual([]);
  expect(found.filter((one) => one.name !== `name-${one._id}`)).toEqual([]);
  if (found.length > 0) {
    const checked = await client.db("crash").command({ validate: "docs" });
    expect(checked).toMatchObject({ valid: true, errors: [], nrecords: found.length });
  }
  const sorted = await docs.find({}).sort({ group: 1, version: -1 }).toArray();
  const expected = found.toSorted((a, b) => a.group - b.group || b.version - a.version);
  expect(sorted.map((one) => [one.group, one.version])).toEqual(
    expected.map((one) => [one.group, one.version]),
  );
}
