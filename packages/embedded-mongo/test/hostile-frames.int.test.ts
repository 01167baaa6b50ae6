import { Buffer } from "node:buffer";
import { serialize } from "bson";
import { afterAll, beforeAll, expect, test } from "vitest";
import { frame, opMsg, RawClient, uint32 } from "./support/raw-client.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
let bystander: RawClient;
beforeAll(async () => {
  at = await testServer();
  bystander = await RawClient.open(at.server.port);
});
afterAll(async () => {
  bystander.close();
  await at.stop();
});

/** Whether the server still serves other clients. */
async function staysUp(): Promise<boolean> {
  return (await bystander.command({ ping: 1 }))["ok"] === 1;
}

/** Sends the bytes and waits until the server closes the connection. */
async function closes(bytes: Uint8Array): Promise<boolean> {
  const client = await RawClient.open(at.server.port);
  client.send(bytes);
  await client.untilClosed();
  return staysUp();
}

/** Sends the bytes and returns the error code. The connection must still work afterwards. */
async function refusal(bytes: Uint8Array): Promise<unknown> {
  const client = await RawClient.open(at.server.port);
  client.send(bytes);
  const { code } = await client.reply();
  const { ok } = await client.command({ ping: 1 });
  client.close();
  return ok === 1 && (await staysUp()) ? code : "the connection or the server is gone";
}

const body = (document: Uint8Array) =>
  frame(2013, Buffer.concat([uint32(0), Buffer.from([0]), document]));

test("the server closes the connection on an invalid message length", async () => {
  for (const length of [0, 3, 15, -1, 48_000_001, 2_147_483_647]) {
    const bytes = opMsg({ ping: 1, $db: "admin" });
    bytes.writeInt32LE(length, 0);
    expect(await closes(bytes)).toBe(true);
  }
});

test("the server closes the connection on unknown opcodes, flags and sections", async () => {
  const ping = serialize({ ping: 1, $db: "admin" });
  expect(await closes(frame(2012, ping))).toBe(true);
  expect(await closes(frame(2004, Buffer.from("no end of name")))).toBe(true);
  expect(await closes(opMsg({ ping: 1, $db: "admin" }, 0x8000))).toBe(true);
  expect(await closes(frame(2013, Buffer.concat([uint32(0), Buffer.from([7]), ping])))).toBe(true);
  expect(
    await closes(
      frame(2013, Buffer.concat([uint32(0), Buffer.from([0]), ping, Buffer.from([0]), ping])),
    ),
  ).toBe(true);
  expect(await closes(frame(2013, uint32(0)))).toBe(true);
});

test("an invalid document length is refused or closes the connection", async () => {
  const document = Buffer.from(serialize({ find: "a", filter: { a: 1 }, $db: "test" }));
  for (const length of [4, -5, document.length + 1]) {
    const wrong = Buffer.from(document);
    wrong.writeInt32LE(length, 0);
    expect(await closes(body(wrong))).toBe(true);
  }
  const inner = Buffer.from(document);
  inner.writeInt32LE(9_999, document.indexOf("filter") + 7);
  expect(await refusal(body(inner))).toBe(22);
});

test("invalid bytes inside a document are refused", async () => {
  const document = Buffer.from(serialize({ find: "abc", $db: "test" }));
  const type = Buffer.from(document);
  type[4] = 0x55;
  expect(await refusal(body(type))).toBe(22);
  const longString = Buffer.from(document);
  longString.writeInt32LE(1_000, 10);
  expect(await refusal(body(longString))).toBe(22);
  const noEnd = Buffer.from(document);
  noEnd[noEnd.length - 1] = 1;
  expect(await refusal(body(noEnd))).toBe(22);
});

test("a document that is nested too deeply is refused", async () => {
  let deep: object = { a: 1 };
  for (let i = 0; i < 500; i++) deep = { a: deep };
  expect(await refusal(opMsg({ find: "a", filter: deep, $db: "test" }))).toBe(15);
  expect(await refusal(opMsg({ insert: "a", documents: [deep], $db: "test" }))).toBe(15);
});

test("an incomplete message does not affect other clients", async () => {
  const bytes = opMsg({ insert: "a", documents: [{ a: 1 }], $db: "test" });
  for (const length of [1, 3, 4, 16, 20, bytes.length - 1]) {
    const client = await RawClient.open(at.server.port);
    client.send(bytes.subarray(0, length));
    expect(await staysUp()).toBe(true);
    client.close();
  }
  expect(await bystander.command({ count: "a" })).toMatchObject({ n: 0 });
});

test("the server accepts a message byte by byte and several messages in one chunk", async () => {
  const client = await RawClient.open(at.server.port);
  for (const byte of opMsg({ ping: 1, $db: "admin" })) client.send(Buffer.from([byte]));
  expect(await client.reply()).toMatchObject({ ok: 1 });
  client.send(Buffer.concat(Array.from({ length: 100 }, () => opMsg({ ping: 1, $db: "admin" }))));
  for (let i = 0; i < 100; i++) expect(await client.reply()).toMatchObject({ ok: 1 });
  client.close();
});

test("a randomly damaged message does not affect other clients", async () => {
  const good = opMsg({
    update: "a",
    updates: [{ q: { a: { $in: [1, "x", null] } }, u: { $set: { b: [1, { c: 2 }] } } }],
    $db: "test",
  });
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed % below;
  };
  for (let round = 0; round < 300; round++) {
    const bytes = Buffer.from(good);
    for (let n = 0; n <= random(4); n++) bytes[4 + random(bytes.length - 4)] = random(256);
    const client = await RawClient.open(at.server.port);
    client.send(bytes);
    client.close();
  }
  expect(await staysUp()).toBe(true);
});

test("a document above 16 MB is refused, and one below is stored", async () => {
  const client = await RawClient.open(at.server.port);
  const fits = { _id: 1, a: "x".repeat(16 * 1024 * 1024 - 64) };
  expect(await client.command({ insert: "big", documents: [fits] })).toMatchObject({ n: 1 });
  const tooLarge = { _id: 2, a: "x".repeat(16 * 1024 * 1024) };
  const refused = await client.command({ insert: "big", documents: [tooLarge] });
  expect(refused["writeErrors"]).toMatchObject([{ code: 10334 }]);
  client.close();
});
