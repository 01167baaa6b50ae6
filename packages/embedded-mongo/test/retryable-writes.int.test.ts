import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { childServer } from "./support/child-server.ts";
import { RawClient, retryable } from "./support/raw-client.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
let raw: RawClient;
beforeAll(async () => {
  at = await testServer();
  raw = await RawClient.open(at.server.port);
});
afterAll(async () => {
  raw.close();
  await at.stop();
});

test("a repeated insert is answered from its record and not applied again", async () => {
  const command = { insert: "a", documents: [{ x: 1 }, { x: 2 }], ...retryable(1, 1) };
  expect(await raw.command(command)).toMatchObject({ ok: 1, n: 2 });
  expect(await raw.command(command)).toMatchObject({ ok: 1, n: 2 });
  expect(await raw.command({ count: "a" })).toMatchObject({ n: 2 });
  expect(await raw.command({ ...command, ...retryable(1, 2) })).toMatchObject({ n: 2 });
  expect(await raw.command({ count: "a" })).toMatchObject({ n: 4 });
});

test("a repeated update returns the counts of the first run", async () => {
  await raw.command({ insert: "b", documents: [{ _id: 1, n: 0 }] });
  const updates = [
    { q: { _id: 1 }, u: { $inc: { n: 1 } } },
    { q: { _id: 2 }, u: { $set: { made: true } }, upsert: true },
    { q: { _id: 3 }, u: { $set: { n: 1 } } },
  ];
  const first = await raw.command({ update: "b", updates, ...retryable(2, 1) });
  expect(first).toMatchObject({ n: 2, nModified: 1, upserted: [{ index: 1, _id: 2 }] });
  const again = await raw.command({ update: "b", updates, ...retryable(2, 1) });
  const { n, nModified, upserted } = first;
  expect(again).toMatchObject({ n, nModified, upserted });
  const found = await raw.command({ find: "b", filter: {} });
  expect(found["cursor"].firstBatch).toEqual([
    { _id: 1, n: 1 },
    { _id: 2, made: true },
  ]);
});

test("a repeated findAndModify returns the document of the first run", async () => {
  await raw.command({ insert: "c", documents: [{ _id: 1, n: 0 }] });
  const command = {
    findAndModify: "c",
    query: { _id: 1 },
    update: { $inc: { n: 1 } },
    new: true,
    ...retryable(3, 1),
  };
  const first = await raw.command(command);
  expect(first["value"]).toEqual({ _id: 1, n: 1 });
  await raw.command({ update: "c", updates: [{ q: {}, u: { $set: { n: 50 } } }] });
  expect((await raw.command(command))["value"]).toEqual({ _id: 1, n: 1 });
  expect((await raw.command({ find: "c" }))["cursor"].firstBatch).toEqual([{ _id: 1, n: 50 }]);
});

test("a repeated delete deletes no further document", async () => {
  await raw.command({ insert: "d", documents: [{}, {}, {}] });
  const command = { delete: "d", deletes: [{ q: {}, limit: 1 }], ...retryable(4, 1) };
  expect(await raw.command(command)).toMatchObject({ n: 1 });
  expect(await raw.command(command)).toMatchObject({ n: 1 });
  expect(await raw.command({ count: "d" })).toMatchObject({ n: 2 });
});

test("an older transaction number and a write that is not retryable are refused", async () => {
  await raw.command({ insert: "e", documents: [{}], ...retryable(5, 7) });
  const old = await raw.command({ insert: "e", documents: [{}], ...retryable(5, 6) });
  expect(old).toMatchObject({ ok: 0, code: 225, codeName: "TransactionTooOld" });
  const many = { q: {}, u: { $set: { a: 1 } }, multi: true };
  const refused = await raw.command({ update: "e", updates: [many], ...retryable(5, 8) });
  expect(refused["writeErrors"] ?? refused).toMatchObject([{ code: 72 }]);
  expect(await raw.command({ find: "e", ...retryable(5, 9) })).toMatchObject({ code: 50768 });
});

test("the record of a retryable write survives a kill", async () => {
  const dir = await mkdtemp(join(tmpdir(), "embedded-mongo-retry-"));
  const insert = { insert: "a", documents: [{ _id: 1 }], ...retryable(6, 1) };
  const modify = {
    findAndModify: "a",
    query: { _id: 1 },
    update: { $inc: { n: 1 } },
    new: true,
    ...retryable(7, 1),
  };
  const first = await childServer(dir);
  const before = await RawClient.open(first.port);
  expect(await before.command(insert)).toMatchObject({ n: 1 });
  expect((await before.command(modify))["value"]).toEqual({ _id: 1, n: 1 });
  await first.kill();
  const second = await childServer(dir);
  const after = await RawClient.open(second.port);
  expect(await after.command(insert)).toMatchObject({ n: 1 });
  expect((await after.command(modify))["value"]).toEqual({ _id: 1, n: 1 });
  expect((await after.command({ find: "a" }))["cursor"].firstBatch).toEqual([{ _id: 1, n: 1 }]);
  after.close();
  await second.kill();
  await rm(dir, { recursive: true, force: true });
});
