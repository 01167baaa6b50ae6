import { randomBytes } from "node:crypto";
import { addMs, dayMs, hourMs } from "@malipo/core";
import { createCipher } from "@malipo/platform";
import { settableClock, useSharedServers } from "@malipo/testing";
import { Binary, MongoClient } from "mongodb";
import { describe, expect, it, onTestFinished } from "vitest";
import type { KeyAttempt } from "../src/domain/idempotency.ts";
import { openIdempotencyKeys, type ClaimResult } from "../src/store/idempotency-keys.ts";

const servers = useSharedServers();
const start = new Date("2026-11-21T08:00:00Z");
const answer = { status: 201, body: Buffer.from('{"success":true}') };
const writeCommands = new Set(["insert", "update", "delete", "findAndModify"]);

/** Idempotency keys in a new database, with a settable clock and a count of writes. */
async function openKeys() {
  const cipher = createCipher([[1, randomBytes(32)]]);
  const client = new MongoClient(servers.mongodbUri, { monitorCommands: true });
  onTestFinished(() => client.close());
  const db = client.db(`${servers.namespace}_${randomBytes(4).toString("hex")}`);
  const clock = settableClock(start);
  const storeState = {
    isAway: () => false,
    untilBack: async () => undefined,
    close: async () => undefined,
  };
  const keys = await openIdempotencyKeys(
    {
      store: { db, ...storeState },
      clock: clock.now,
      log: { warn: () => undefined },
      shutdown: { signal: new AbortController().signal },
    },
    cipher,
  );
  let writeCount = 0;
  client.on("commandStarted", ({ commandName }) => {
    if (writeCommands.has(commandName)) writeCount += 1;
  });
  const claim = async (id: string, fingerprint = "same") =>
    keys.claim(id, fingerprint, addMs(clock.now(), 5_000));
  return { keys, clock, claim, db, cipher, writes: () => writeCount };
}

function attemptIn(result: ClaimResult): KeyAttempt {
  if (result.kind !== "claimed") throw new Error(`expected "claimed", got "${result.kind}"`);
  return result.attempt;
}

describe("an idempotency key", () => {
  it("costs two writes for the first request and one for a repetition", async () => {
    const { keys, claim, writes } = await openKeys();
    expect(await keys.storeAnswer(attemptIn(await claim("key")), answer)).toEqual(answer);
    expect(writes()).toBe(2);
    const again = await claim("key");
    expect(again.kind === "answered" && again.answer.status).toBe(201);
    expect(again.kind === "answered" && Buffer.from(again.answer.body).toString()).toBe(
      '{"success":true}',
    );
    // The insert that fails because the key exists.
    expect(writes()).toBe(3);
  });

  it("stays claimed until two seconds after the deadline, then resumes under the same operation id", async () => {
    const { clock, claim } = await openKeys();
    const first = attemptIn(await claim("key"));
    clock.advance(6_999);
    expect(await claim("key")).toEqual({ kind: "running", retryAfterSeconds: 1 });
    clock.advance(1);
    const second = attemptIn(await claim("key"));
    expect(second.operationid).toBe(first.operationid);
    expect(second.attemptid).not.toBe(first.attemptid);
  });

  it("resumes at once after its lease is ended, and starts anew after it is freed", async () => {
    const { keys, claim } = await openKeys();
    const first = attemptIn(await claim("key"));
    await keys.endLease(first);
    const second = attemptIn(await claim("key"));
    expect(second.operationid).toBe(first.operationid);
    await keys.free(second);
    const third = attemptIn(await claim("key", "another request"));
    expect(third.operationid).not.toBe(first.operationid);
  });

  it("returns the stored answer to an attempt that was taken over", async () => {
    const { keys, clock, claim } = await openKeys();
    const slow = attemptIn(await claim("key"));
    clock.advance(10_000);
    const fast = attemptIn(await claim("key"));
    expect(await keys.storeAnswer(slow, answer)).toBe("running");
    const other = { status: 201, body: Buffer.from('{"by":"the other"}') };
    await keys.storeAnswer(fast, other);
    const held = await keys.storeAnswer(slow, answer);
    expect(held !== "running" && Buffer.from(held.body).toString()).toBe('{"by":"the other"}');
    await keys.free(slow);
    expect((await claim("key")).kind).toBe("answered");
  });

  it("is a mismatch for another request, while running and when answered", async () => {
    const { keys, claim } = await openKeys();
    const first = attemptIn(await claim("key"));
    expect(await claim("key", "another")).toEqual({ kind: "mismatch" });
    await keys.storeAnswer(first, answer);
    expect(await claim("key", "another")).toEqual({ kind: "mismatch" });
  });

  it("expires after a day, deleted by the index or not", async () => {
    const { keys, clock, claim } = await openKeys();
    const first = attemptIn(await claim("key"));
    await keys.storeAnswer(first, answer);
    clock.advance(dayMs - 1);
    expect((await claim("key")).kind).toBe("answered");
    clock.advance(1);
    const later = attemptIn(await claim("key", "another request"));
    expect(later.operationid).not.toBe(first.operationid);
    await keys.storeAnswer(later, answer);
    expect((await claim("key", "another request")).kind).toBe("answered");
  });

  it("is claimed by one of fifty concurrent requests", async () => {
    const { claim } = await openKeys();
    const results = await Promise.all(Array.from({ length: 50 }, async () => claim("key")));
    expect(results.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === "running")).toHaveLength(49);
  });

  it("is resumed by one of fifty concurrent requests, and rejects the answer of the ended attempt", async () => {
    const { keys, claim } = await openKeys();
    const first = attemptIn(await claim("key"));
    await keys.endLease(first);
    const results = await Promise.all(Array.from({ length: 50 }, async () => claim("key")));
    expect(results.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(await keys.storeAnswer(first, answer)).toBe("running");
    expect((await claim("key")).kind).toBe("running");
  });

  it("stores an answer after the lease when no other attempt has started", async () => {
    const { keys, clock, claim } = await openKeys();
    const slow = attemptIn(await claim("key"));
    clock.advance(10_000);
    expect(await keys.storeAnswer(slow, answer)).toEqual(answer);
    expect((await claim("key")).kind).toBe("answered");
  });

  it("rejects the answer of a taken-over attempt in a batch of other answers", async () => {
    const { keys, claim, clock } = await openKeys();
    const names = Array.from({ length: 30 }, (_, index) => `key ${index}`);
    const results = await Promise.all(names.map(async (name) => attemptIn(await claim(name))));
    clock.advance(10_000);
    await claim("key 7");
    const held = await Promise.all(results.map(async (one) => keys.storeAnswer(one, answer)));
    expect(held.flatMap((one, index) => (one === "running" ? [index] : []))).toEqual([7]);
    const again = await Promise.all(names.map(async (name) => claim(name)));
    expect(again.flatMap(({ kind }, index) => (kind === "answered" ? [] : [index]))).toEqual([7]);
  });

  it("returns an answer that an earlier release stored in the key document", async () => {
    const { claim, db, cipher } = await openKeys();
    await claim("key");
    const body = new Binary(cipher.encrypt(answer.body, "key"));
    await db.collection("idempotencykeys").updateOne({}, { $set: { status: 201, body } });
    const again = await claim("key");
    expect(again.kind === "answered" && Buffer.from(again.answer.body)).toEqual(answer.body);
  });

  it("stores the answer encrypted", async () => {
    const { keys, claim, db } = await openKeys();
    await keys.storeAnswer(attemptIn(await claim("key")), answer);
    const kept = await db.collection("idempotencyanswers").findOne({});
    expect(JSON.stringify(kept)).not.toContain("success");
    expect(Buffer.from(kept?.["body"].buffer ?? []).toString("latin1")).not.toContain("success");
  });

  it("is deleted after a day, its answer an hour later", async () => {
    const { keys, claim, db } = await openKeys();
    await keys.storeAnswer(attemptIn(await claim("key")), answer);
    const endOf = async (name: string): Promise<unknown> =>
      (await db.collection(name).findOne({}))?.["expiresat"];
    expect(await endOf("idempotencykeys")).toEqual(addMs(start, dayMs));
    expect(await endOf("idempotencyanswers")).toEqual(addMs(start, dayMs + hourMs));
  });
});
