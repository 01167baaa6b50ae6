import { type Collection, MongoClient } from "mongodb";
import { beforeEach, describe, expect, it } from "vitest";
import {
  crashAtEachWrite,
  startStoreProxy,
  type StoreProxy,
  useSharedServers,
} from "../src/index.ts";

interface Counter {
  readonly _id: string;
  readonly version: number;
  readonly value: number;
}

const { mongodbUri, namespace } = useSharedServers();
const clients: MongoClient[] = [];
let proxy: StoreProxy;
/** The same collection through the proxy, and directly. */
let own: Collection<Counter>;
let other: Collection<Counter>;

beforeEach(async () => {
  proxy = await startStoreProxy(mongodbUri);
  own = await open(proxy.mongodbUri);
  other = await open(mongodbUri);
  await other.deleteMany({});
  await other.insertOne({ _id: "one", version: 1, value: 0 });
  return async () => {
    for (const client of clients.splice(0)) await client.close();
    await proxy.close();
  };
});

async function open(uri: string): Promise<Collection<Counter>> {
  const client = await MongoClient.connect(uri);
  clients.push(client);
  return client.db(`${namespace}_proxy`).collection<Counter>("counters");
}

/** A conditional write, as a worker makes it. */
async function increment(counters: Collection<Counter>): Promise<boolean> {
  const found = await counters.findOne({ _id: "one" });
  const { version = 0, value = 0 } = found ?? {};
  const { matchedCount } = await counters.updateOne(
    { _id: "one", version },
    { $set: { value: value + 1, version: version + 1 } },
  );
  return matchedCount === 1;
}

function addsSeven({ u }: { u?: { $inc?: { value?: number } } }): boolean {
  return u?.$inc?.value === 7;
}

/** Moves 1 from the value of one counter to another: the first write decides, the second follows. */
async function move(counters: Collection<Counter>, isSafe: boolean): Promise<void> {
  const from = { _id: "one", value: 1 };
  const target = { _id: "two" };
  const give = async () => counters.updateOne(from, { $set: { value: 0 } });
  const take = async () => counters.updateOne(target, { $set: { value: 1 } }, { upsert: true });
  if (isSafe) {
    await take();
    await give();
  } else if ((await give()).matchedCount === 1) await take();
}

describe("interrupt", () => {
  it("lets another writer win between the read and the write", async () => {
    const won = proxy.interrupt({ side: "before" }, async () => increment(other));
    expect(await increment(own)).toBe(false);
    expect(await won).toMatchObject({
      command: "update",
      collection: "counters",
      statements: [{ q: { _id: "one", version: 1 } }],
    });
    expect(await increment(own)).toBe(true);
    expect(await other.findOne()).toMatchObject({ value: 2 });
  });

  it("acts after the write, before the worker hears of it", async () => {
    const seen: unknown[] = [];
    const acted = proxy.interrupt({ side: "after" }, async () => seen.push(await other.findOne()));
    expect(await increment(own)).toBe(true);
    expect(seen).toMatchObject([{ value: 1 }]);
    await acted;
  });

  it("means the nth write of those that fit the pattern", async () => {
    const pattern = { collection: "counters", command: "findAndModify" } as const;
    const reached = proxy.interrupt(
      { side: "before", pattern: { ...pattern, where: addsSeven }, nth: 2 },
      () => other.updateOne({ _id: "one" }, { $set: { value: 100 } }),
    );
    await own.insertOne({ _id: "two", version: 1, value: 0 });
    for (const value of [7, 1, 7]) await own.findOneAndUpdate({ _id: "one" }, { $inc: { value } });
    await reached;
    expect(await other.findOne({ _id: "one" })).toMatchObject({ value: 107 });
  });

  it("sees the documents of an insert and the filter of a delete", async () => {
    const documents = [
      { _id: "two", version: 1, value: 2 },
      { _id: "three", version: 1, value: 3 },
    ];
    const inserted = proxy.interrupt({ side: "before" }, () => undefined);
    await own.insertMany(documents);
    expect(await inserted).toMatchObject({ command: "insert", statements: documents });
    const deleted = proxy.interrupt({ side: "before" }, () => undefined);
    await own.deleteOne({ _id: "two" });
    expect(await deleted).toMatchObject({ command: "delete", statements: [{ q: { _id: "two" } }] });
  });
});

describe("kill", () => {
  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)("loses everything from the write on when it dies %s it", async (side, value) => {
    const killed = proxy.kill({ side });
    await expect(increment(own)).rejects.toThrow("dead to the store");
    await killed;
    await expect(own.findOne()).rejects.toThrow("dead to the store");
    await expect(increment(own)).rejects.toThrow("dead to the store");
    expect(await other.findOne()).toMatchObject({ value });
    proxy.revive();
    expect(await increment(own)).toBe(true);
  });
});

it("loseVersionRaces lets every second write of a record through", async () => {
  const lost = proxy.loseVersionRaces();
  const outcomes = [];
  for (let round = 0; round < 4; round += 1) outcomes.push(await increment(own));
  expect(outcomes).toEqual([false, true, false, true]);
  expect(lost()).toBe(2);
  expect(await other.findOne()).toMatchObject({ value: 2, version: 5 });
});

const scenario = (isSafe: boolean) => ({
  prepare: async () => {
    await other.deleteMany({});
    await other.insertOne({ _id: "one", version: 1, value: 1 });
  },
  run: async () => move(own, isSafe),
  runAgain: async () => move(other, isSafe),
  check: async () => {
    const values = (await other.find().sort({ _id: 1 }).toArray()).map(({ value }) => value);
    expect(values).toEqual([0, 1]);
  },
});

describe("crashAtEachWrite", () => {
  it("passes for a workflow that is safe to repeat, after a crash on each side of each write", async () => {
    const points = await crashAtEachWrite(proxy, scenario(true));
    expect(points.map(({ nth, side }) => `${side} ${nth}`)).toEqual([
      "before 1",
      "after 1",
      "before 2",
      "after 2",
    ]);
  });

  it("names the crash point after which an invariant is broken", async () => {
    await expect(crashAtEachWrite(proxy, scenario(false))).rejects.toThrow(
      "wrong after a crash after write 1 (update in counters)",
    );
  });
});
