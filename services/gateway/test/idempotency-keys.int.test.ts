import { randomBytes } from "node:crypto";
import { addMs, dayMs, hourMs } from "@malipo/core";
import { settableClock, useSharedServers } from "@malipo/testing";
import { Binary, MongoClient } from "mongodb";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCipher } from "@malipo/platform";
import { type Claim, type Claiming, openIdempotencyKeys } from "../src/store/idempotency-keys.ts";

const servers = useSharedServers();
const start = new Date("2026-11-21T08:00:00Z");
const answer = { status: 201, body: Buffer.from('{"success":true}') };
const writes = new Set(["insert", "update", "delete", "findAndModify"]);

/** Keys of a database of their own, on a clock that the test moves, with a count of what is written. */
async function openKeys() {
  const cipher = createCipher([[1, randomBytes(32)]]);
  const client = new MongoClient(servers.mongodbUri, { monitorCommands: true });
  onTestFinished(() => client.close());
  const db = client.db(`${servers.namespace}_${randomBytes(4).toString("hex")}`);
  const clock = settableClock(start);
  const notAway = {
    isAway: () => false,
    untilBack: async () => undefined,
    close: async () => undefined,
  };
  const keys = await openIdempotencyKeys(
    {
      store: { db, ...notAway },
      clock: clock.now,
      log: { warn: () => undefined },
      shutdown: { signal: new AbortController().signal },
    },
    cipher,
  );
  let written = 0;
  client.on("commandStarted", ({ commandName }) => {
    if (writes.has(commandName)) written += 1;
  });
  const claim = async (id: string, fingerprint = "same") =>
    keys.claim(id, fingerprint, addMs(clock.now(), 5_000));
  return { keys, clock, claim, db, cipher, written: () => written };
}

function claimIn(claiming: Claiming): Claim {
  if (claiming.kind !== "claimed") throw new Error(`claimed, not ${claiming.kind}`);
  return claiming.claim;
}

describe("an idempotency key", () => {
  it("costs two writes from its claim to its answer, and none when it comes again", async () => {
    const { keys, claim, written } = await openKeys();
    expect(await keys.complete(claimIn(await claim("key")), answer)).toEqual(answer);
    expect(written()).toBe(2);
    const again = await claim("key");
    expect(again.kind === "answered" && again.answer.status).toBe(201);
    expect(again.kind === "answered" && Buffer.from(again.answer.body).toString()).toBe(
      '{"success":true}',
    );
    // The insert that found the key taken.
    expect(written()).toBe(3);
  });

  it("is held until two seconds after the deadline, then resumed under the same operation", async () => {
    const { clock, claim } = await openKeys();
    const first = claimIn(await claim("key"));
    clock.advance(6_999);
    expect(await claim("key")).toEqual({ kind: "running", retryAfterSeconds: 1 });
    clock.advance(1);
    const second = claimIn(await claim("key"));
    expect(second.operationid).toBe(first.operationid);
    expect(second.owner).not.toBe(first.owner);
  });

  it("given up can be resumed at once; released it is as new", async () => {
    const { keys, claim } = await openKeys();
    const first = claimIn(await claim("key"));
    await keys.abandon(first);
    const second = claimIn(await claim("key"));
    expect(second.operationid).toBe(first.operationid);
    await keys.release(second);
    const third = claimIn(await claim("key", "another request"));
    expect(third.operationid).not.toBe(first.operationid);
  });

  it("answers what it holds to whoever lost it meanwhile", async () => {
    const { keys, clock, claim } = await openKeys();
    const slow = claimIn(await claim("key"));
    clock.advance(10_000);
    const fast = claimIn(await claim("key"));
    expect(await keys.complete(slow, answer)).toBe("running");
    const other = { status: 201, body: Buffer.from('{"by":"the other"}') };
    await keys.complete(fast, other);
    const held = await keys.complete(slow, answer);
    expect(held !== "running" && Buffer.from(held.body).toString()).toBe('{"by":"the other"}');
    await keys.release(slow);
    expect((await claim("key")).kind).toBe("answered");
  });

  it("is for one request only, running or answered", async () => {
    const { keys, claim } = await openKeys();
    const first = claimIn(await claim("key"));
    expect(await claim("key", "another")).toEqual({ kind: "mismatch" });
    await keys.complete(first, answer);
    expect(await claim("key", "another")).toEqual({ kind: "mismatch" });
  });

  it("is forgotten after a day, swept or not", async () => {
    const { keys, clock, claim } = await openKeys();
    const first = claimIn(await claim("key"));
    await keys.complete(first, answer);
    clock.advance(dayMs - 1);
    expect((await claim("key")).kind).toBe("answered");
    clock.advance(1);
    const later = claimIn(await claim("key", "another request"));
    expect(later.operationid).not.toBe(first.operationid);
    await keys.complete(later, answer);
    expect((await claim("key", "another request")).kind).toBe("answered");
  });

  it("claimed by fifty at once belongs to one", async () => {
    const { claim } = await openKeys();
    const claims = await Promise.all(Array.from({ length: 50 }, async () => claim("key")));
    expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === "running")).toHaveLength(49);
  });

  it("given up is resumed by one of fifty, and whoever gave it up answers no more", async () => {
    const { keys, claim } = await openKeys();
    const first = claimIn(await claim("key"));
    await keys.abandon(first);
    const claims = await Promise.all(Array.from({ length: 50 }, async () => claim("key")));
    expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(await keys.complete(first, answer)).toBe("running");
    expect((await claim("key")).kind).toBe("running");
  });

  it("whose answer came after the lease, but before anybody else, holds it", async () => {
    const { keys, clock, claim } = await openKeys();
    const slow = claimIn(await claim("key"));
    clock.advance(10_000);
    expect(await keys.complete(slow, answer)).toEqual(answer);
    expect((await claim("key")).kind).toBe("answered");
  });

  it("that was taken over is refused its first answer among others that are kept at once", async () => {
    const { keys, claim, clock } = await openKeys();
    const names = Array.from({ length: 30 }, (_, index) => `key ${index}`);
    const claims = await Promise.all(names.map(async (name) => claimIn(await claim(name))));
    clock.advance(10_000);
    await claim("key 7");
    const held = await Promise.all(claims.map(async (one) => keys.complete(one, answer)));
    expect(held.flatMap((one, index) => (one === "running" ? [index] : []))).toEqual([7]);
    const again = await Promise.all(names.map(async (name) => claim(name)));
    expect(again.flatMap(({ kind }, index) => (kind === "answered" ? [] : [index]))).toEqual([7]);
  });

  it("that an earlier release answered has its answer in itself", async () => {
    const { claim, db, cipher } = await openKeys();
    await claim("key");
    const body = new Binary(cipher.encrypt(answer.body, "key"));
    await db.collection("idempotencykeys").updateOne({}, { $set: { status: 201, body } });
    const again = await claim("key");
    expect(again.kind === "answered" && Buffer.from(again.answer.body)).toEqual(answer.body);
  });

  it("keeps nothing readable", async () => {
    const { keys, claim, db } = await openKeys();
    await keys.complete(claimIn(await claim("key")), answer);
    const kept = await db.collection("idempotencyanswers").findOne({});
    expect(JSON.stringify(kept)).not.toContain("success");
    expect(Buffer.from(kept?.["body"].buffer ?? []).toString("latin1")).not.toContain("success");
  });

  it("and its answer go when the day is over, the answer not first", async () => {
    const { keys, claim, db } = await openKeys();
    await keys.complete(claimIn(await claim("key")), answer);
    const endOf = async (name: string): Promise<unknown> =>
      (await db.collection(name).findOne({}))?.["expiresat"];
    expect(await endOf("idempotencykeys")).toEqual(addMs(start, dayMs));
    expect(await endOf("idempotencyanswers")).toEqual(addMs(start, dayMs + hourMs));
  });
});
