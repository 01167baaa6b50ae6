import { Buffer } from "node:buffer";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import type { MongoClientOptions } from "mongodb";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { failureOf } from "./support/failure.ts";
import { opMsg, RawClient } from "./support/raw-client.ts";
import { begin, finalMessage, saslContinue, saslStart, textOf } from "./support/scram-client.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

const user = { user: "malipo", password: "a-password-of-tests-0123456789" };
const unauthenticatedMax = 20;

let at: TestServer;
beforeAll(async () => {
  at = await testServer({ user, bounds: { unauthenticatedConnectionsMax: unauthenticatedMax } });
  await at.client.db("test").collection("kept").insertOne({ secret: "of a customer" });
});
afterAll(() => at.stop());

async function rawClient(): Promise<RawClient> {
  const client = await RawClient.open(at.server.port);
  onTestFinished(() => client.close());
  return client;
}

async function withoutUser(uri: string, options: MongoClientOptions = {}): Promise<unknown> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2_000, ...options });
  onTestFinished(() => client.close());
  return failureOf(client.db("test").collection("kept").findOne());
}

const isDenied = async (client: RawClient): Promise<boolean> =>
  (await client.command({ find: "kept" }))["code"] === 13;

const withAuthority = (authority: string) =>
  at.server.uri.replace(/\/\/.*@/, authority === "" ? "//" : `//${authority}@`);

test("the driver reads and writes with the user and password of the URI", async () => {
  const { uri } = at.server;
  for (const options of ["", "&authMechanism=SCRAM-SHA-256", "&authSource=admin"]) {
    const client = await MongoClient.connect(`${uri}${options}`);
    expect(await client.db("test").collection("kept").countDocuments()).toBe(1);
    expect(await client.db("admin").command({ connectionStatus: 1 })).toMatchObject({
      authInfo: { authenticatedUsers: [{ user: user.user, db: "admin" }] },
    });
    await client.close();
  }
});

test("the driver is refused with a wrong password, a wrong user and another user database", async () => {
  const wrong = { code: 18, message: "Authentication failed." };
  expect(await withoutUser(withAuthority(`malipo:${user.password}x`))).toMatchObject(wrong);
  expect(await withoutUser(withAuthority(`malipa:${user.password}`))).toMatchObject(wrong);
  expect(await withoutUser(`${at.server.uri}&authSource=test`)).toMatchObject(wrong);
});

test("the driver is refused without a user, and with a mechanism that the server does not know", async () => {
  expect(await withoutUser(withAuthority(""))).toMatchObject({
    code: 13,
    message: "Command find requires authentication",
  });
  expect(await withoutUser(`${at.server.uri}&authMechanism=SCRAM-SHA-1`)).toMatchObject({
    code: 334,
  });
});

test("a client that skips the authentication may greet and ping, and nothing else", async () => {
  const client = await rawClient();
  for (const open of ["hello", "isMaster", "ismaster", "ping", "buildInfo"]) {
    expect(await client.command({ [open]: 1 }, "admin")).toMatchObject({ ok: 1 });
  }
  const closed = [
    { find: "kept" },
    { insert: "kept", documents: [{ a: 1 }] },
    { update: "kept", updates: [{ q: {}, u: { $set: { a: 1 } } }] },
    { aggregate: "kept", pipeline: [], cursor: {} },
    { getMore: 1n, collection: "kept" },
    { explain: { find: "kept" } },
    { listDatabases: 1 },
    { dropDatabase: 1 },
    { serverStatus: 1 },
    { getParameter: "*" },
    { endSessions: [] },
    { commitTransaction: 1 },
    { connectionStatus: 1 },
  ];
  for (const command of closed) {
    expect(await client.command(command, "admin")).toMatchObject({
      ok: 0,
      code: 13,
      codeName: "Unauthorized",
    });
  }
});

test("a raw client authenticates step by step, with and without the empty exchange", async () => {
  const short = await rawClient();
  const first = await begin(short, user.user, "nonce-of-a-client");
  expect(first.reply).toMatchObject({ ok: 1, done: false, conversationId: 1 });
  expect(Number(/i=(\d+)$/.exec(first.text)?.[1])).toBeGreaterThanOrEqual(15_000);
  const message = finalMessage(first, user.password);
  expect(await short.command(saslContinue(message), "admin")).toMatchObject({ ok: 1, done: true });
  expect(await isDenied(short)).toBe(false);

  const long = await rawClient();
  const { options: _, ...start } = saslStart(user.user, "another");
  const reply = await long.command(start, "admin");
  const next = finalMessage(
    { reply, bare: "n=malipo,r=another", text: textOf(reply) },
    user.password,
  );
  expect(await long.command(saslContinue(next), "admin")).toMatchObject({ ok: 1, done: false });
  expect(await isDenied(long)).toBe(true);
  expect(await long.command(saslContinue(""), "admin")).toMatchObject({ ok: 1, done: true });
  expect(await isDenied(long)).toBe(false);
});

test("a wrong, altered or malformed final message is refused and ends the attempt", async () => {
  const alterations: readonly ((message: string) => string)[] = [
    (message) => message.replace(/p=.*/, `p=${Buffer.alloc(32).toString("base64")}`),
    (message) => message.replace(/p=.*/, "p="),
    (message) => message.replace(/,p=.*/, ""),
    (message) => message.replace("c=biws", "c=eSws"),
    (message) => message.replace("r=", "r=x"),
    (message) => message.replace(/r=[^,]*/, "r=nonce"),
    (message) => `${message},x=1`,
    (message) => message.slice(0, -4),
    () => "",
    () => ",".repeat(10_000),
  ];
  for (const alter of alterations) {
    const client = await rawClient();
    const right = finalMessage(await begin(client, user.user, "nonce"), user.password);
    expect(await client.command(saslContinue(alter(right)), "admin")).toMatchObject({ code: 18 });
    // The right answer comes too late: its nonce belongs to an attempt that has ended.
    expect(await client.command(saslContinue(right), "admin")).toMatchObject({ code: 17 });
    expect(await isDenied(client)).toBe(true);
    client.close();
  }
});

test("a final message that signs another nonce or header is refused", async () => {
  for (const [claim, code] of [
    ["c=biws,r=nonce", 18],
    ["c=eSws,r=", 18],
    ["c=biws,r=", undefined],
  ] as const) {
    const client = await rawClient();
    const first = await begin(client, user.user, "nonce");
    const nonce = /^r=([^,]*)/.exec(first.text)?.[1] ?? "";
    const signed = claim.endsWith("r=") ? `${claim}${nonce}` : claim;
    const answer = await client.command(
      saslContinue(finalMessage(first, user.password, signed)),
      "admin",
    );
    expect(answer["code"]).toBe(code);
  }
});

test("a malformed first message is refused", async () => {
  const payloads = [
    "",
    "n,,",
    "n,,n=malipo",
    "n,,n=malipo,r=",
    "n,,n=malipo,r=a,b",
    "n,,m=x,n=malipo,r=a",
    "p=tls-unique,,n=malipo,r=a",
    "n,a=root,n=malipo,r=a",
    `n,,n=malipo,r=${"a".repeat(257)}`,
  ];
  const client = await rawClient();
  for (const payload of payloads) {
    const start = { ...saslStart("", ""), payload: Buffer.from(payload) };
    expect(await client.command(start, "admin")).toMatchObject({ ok: 0, code: 18 });
  }
  const { payload: _, ...empty } = saslStart("malipo", "a");
  expect(await client.command(empty, "admin")).toMatchObject({ code: 18 });
  expect(await client.command(saslContinue("x"), "admin")).toMatchObject({ code: 17 });
});

test("a recorded exchange does not authenticate a second client", async () => {
  const recorded = await rawClient();
  const message = finalMessage(await begin(recorded, user.user, "nonce"), user.password);
  expect(await recorded.command(saslContinue(message), "admin")).toMatchObject({ done: true });
  const replaying = await rawClient();
  const again = await begin(replaying, user.user, "nonce");
  expect(again.reply["ok"]).toBe(1);
  expect(await replaying.command(saslContinue(message), "admin")).toMatchObject({ code: 18 });
  expect(await isDenied(replaying)).toBe(true);
});

test("an unknown user gets the same first answer as the known one", async () => {
  const client = await rawClient();
  const masked = async (name: string) => {
    const hello = await client.command({ hello: 1, saslSupportedMechs: `admin.${name}` }, "admin");
    const { text } = await begin(client, name, "nonce");
    return { mechanisms: hello["saslSupportedMechs"], text: text.replace(/r=[^,]*/, "") };
  };
  const known = await masked("malipo");
  expect(known.mechanisms).toEqual(["SCRAM-SHA-256"]);
  expect(await masked("stranger")).toEqual(known);
});

test("hello begins an authentication, and succeeds also if the attempt cannot begin", async () => {
  const client = await rawClient();
  const speculate = (start: object) =>
    client.command({ hello: 1, speculativeAuthenticate: { ...start, db: "admin" } }, "admin");
  for (const start of [{ ...saslStart("malipo", "a"), mechanism: "MONGODB-X509" }, {}]) {
    const hello = await speculate(start);
    expect(hello).toMatchObject({ ok: 1 });
    expect(hello).not.toHaveProperty("speculativeAuthenticate");
  }
  const hello = await speculate(saslStart("malipo", "a"));
  const reply = hello["speculativeAuthenticate"] as typeof hello;
  expect(reply).toMatchObject({ conversationId: 1, done: false });
  const message = finalMessage({ reply, bare: "n=malipo,r=a", text: textOf(reply) }, user.password);
  expect(await client.command(saslContinue(message), "admin")).toMatchObject({ done: true });
  expect(await isDenied(client)).toBe(false);
});

test("a message above 16 KiB before the authentication closes the connection", async () => {
  const stranger = await rawClient();
  expect(await stranger.command({ ping: 1, comment: "x".repeat(15_000) })).toMatchObject({ ok: 1 });
  // The first bytes of a message announce its length. The server does not wait for the rest.
  stranger.send(opMsg({ ping: 1, comment: "x".repeat(17_000), $db: "admin" }).subarray(0, 20));
  await stranger.untilClosed();
  const known = at.client.db("test").collection("large");
  await known.insertOne({ a: "x".repeat(100_000) });
  expect(await known.countDocuments()).toBe(1);
});

test("strangers that hold connections shut no authenticated client out", async () => {
  const { uri } = at.server;
  const before = await MongoClient.connect(uri);
  onTestFinished(() => before.close());
  const strangers: RawClient[] = [];
  for (let count = 0; count < 3 * unauthenticatedMax; count += 1) {
    const client = await rawClient();
    // Half of them stop in the middle of a message.
    if (count % 2 === 0) client.send(Buffer.from([100, 0]));
    else await client.command({ ping: 1 });
    strangers.push(client);
  }
  const [oldest] = strangers;
  await oldest?.untilClosed();
  const later = await MongoClient.connect(uri);
  onTestFinished(() => later.close());
  for (const client of [before, later]) {
    expect(await client.db("test").collection("kept").countDocuments()).toBe(1);
  }
  expect(strangers.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(unauthenticatedMax);
});

test("the folder is private and holds no password", async () => {
  const parent = mkdtempSync(join(tmpdir(), "embedded-mongo-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const dir = join(parent, "data");
  const own = await testServer({ dir, user });
  await own.client.db("test").collection("a").insertOne({ a: 1 });
  const files = readdirSync(dir).map((name) => join(dir, name));
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(files.map((path) => statSync(path).mode & 0o777)).toEqual(files.map(() => 0o600));
  expect(files.filter((path) => readFileSync(path).includes(user.password))).toEqual([]);
  await own.stop();
});

test("a folder written without authentication opens with it, and back", async () => {
  const dir = mkdtempSync(join(tmpdir(), "embedded-mongo-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [index, options] of [{}, { user }, {}].entries()) {
    const own = await testServer({ dir, ...options });
    const kept = own.client.db("test").collection("kept");
    await kept.insertOne({ index });
    expect(await kept.countDocuments()).toBe(index + 1);
    await own.stop();
  }
});
