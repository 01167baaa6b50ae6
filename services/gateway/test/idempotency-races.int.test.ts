import { randomBytes } from "node:crypto";
import { addMs, dayMs } from "@malipo/core";
import { createCipher } from "@malipo/platform";
import { settableClock, startStoreProxy, type StoreProxy, useSharedServers } from "@malipo/testing";
import { MongoClient } from "mongodb";
import { beforeEach, describe, expect, it } from "vitest";
import type { KeyAttempt } from "../src/domain/idempotency.ts";
import { type ClaimResult, openIdempotencyKeys } from "../src/store/idempotency-keys.ts";

const servers = useSharedServers();
const answer = { status: 201, body: Buffer.from('{"by":"us"}') };
const answerOfOther = { status: 201, body: Buffer.from('{"by":"the other"}') };
const keyWrite = (command: "insert" | "update" | "delete") =>
  ({ side: "before", pattern: { collection: "idempotencykeys", command } }) as const;
const answerInsert = { side: "before", pattern: { collection: "idempotencyanswers" } } as const;

const cipher = createCipher([[1, randomBytes(32)]]);
const clock = settableClock(new Date("2026-11-21T08:00:00Z"));
let proxy: StoreProxy;
/** The gateway whose writes are interrupted, and another one. */
let ours: Gateway;
let other: Gateway;

beforeEach(async () => {
  proxy = await startStoreProxy(servers.mongodbUri);
  const database = `${servers.namespace}_${randomBytes(4).toString("hex")}`;
  other = await openGateway(servers.mongodbUri, database);
  ours = await openGateway(proxy.mongodbUri, database);
  return async () => {
    await Promise.all([ours.close(), other.close()]);
    await proxy.close();
  };
});

type Gateway = Awaited<ReturnType<typeof openGateway>>;

async function openGateway(uri: string, database: string) {
  const client = await MongoClient.connect(uri);
  const never = { isAway: () => false, untilBack: async () => undefined };
  const keys = await openIdempotencyKeys(
    {
      store: { db: client.db(database), ...never, close: async () => undefined },
      clock: clock.now,
      log: { warn: () => undefined },
      shutdown: { signal: new AbortController().signal },
    },
    cipher,
  );
  return {
    ...keys,
    claim: async (fingerprint = "same") =>
      keys.claim("key", fingerprint, addMs(clock.now(), 5_000)),
    close: async () => client.close(),
  };
}

function attemptIn(result: ClaimResult): KeyAttempt {
  if (result.kind !== "claimed") throw new Error(`expected "claimed", got "${result.kind}"`);
  return result.attempt;
}

/** The text of a stored answer, or the kind of any other result. */
function outcomeOf(result: ClaimResult): string {
  return result.kind === "answered" ? Buffer.from(result.answer.body).toString() : result.kind;
}

const endLeases = () => clock.advance(10_000);

describe("an idempotency key that is claimed", () => {
  it("anew, while the other gateway inserts it, is running", async () => {
    const won = proxy.interrupt(keyWrite("insert"), async () => other.claim());
    expect((await ours.claim()).kind).toBe("running");
    await won;
  });

  it("anew, while the other gateway uses it for another request, is a mismatch", async () => {
    const won = proxy.interrupt(keyWrite("insert"), async () => other.claim("another"));
    expect(await ours.claim()).toEqual({ kind: "mismatch" });
    await won;
  });

  it("when the other gateway frees it after the insert failed, starts a new operation", async () => {
    const first = attemptIn(await other.claim());
    const freed = proxy.interrupt({ ...keyWrite("insert"), side: "after" }, async () =>
      other.free(first),
    );
    expect(attemptIn(await ours.claim()).operationid).not.toBe(first.operationid);
    await freed;
    expect((await other.claim()).kind).toBe("running");
  });

  it("after its lease, while its attempt stores the answer after all, gets that answer", async () => {
    const slow = attemptIn(await other.claim());
    endLeases();
    const won = proxy.interrupt(answerInsert, async () => other.storeAnswer(slow, answerOfOther));
    expect(outcomeOf(await ours.claim())).toBe('{"by":"the other"}');
    await won;
  });

  it("after its lease, while the other gateway closes the attempt too, has one owner", async () => {
    const dead = attemptIn(await other.claim());
    endLeases();
    const results: ClaimResult[] = [];
    const won = proxy.interrupt(answerInsert, async () => results.push(await other.claim()));
    results.push(await ours.claim());
    await won;
    expect(results.map(({ kind }) => kind)).toEqual(["claimed", "running"]);
    expect(await other.storeAnswer(dead, answerOfOther)).toBe("running");
  });

  it("after its lease, while the other gateway takes it over, is running", async () => {
    const dead = attemptIn(await other.claim());
    endLeases();
    const results: ClaimResult[] = [];
    const won = proxy.interrupt(keyWrite("update"), async () => results.push(await other.claim()));
    results.push(await ours.claim());
    await won;
    expect(results.map(({ kind }) => kind)).toEqual(["claimed", "running"]);
    expect(results.slice(0, 1).map(attemptIn)).toMatchObject([{ operationid: dead.operationid }]);
  });

  it("after a day, while the other gateway uses it for another request, is a mismatch", async () => {
    await other.claim();
    clock.advance(dayMs);
    const won = proxy.interrupt(keyWrite("update"), async () => other.claim("another"));
    expect(await ours.claim()).toEqual({ kind: "mismatch" });
    await won;
    expect((await other.claim("another")).kind).toBe("running");
  });

  it("after a day, while the index deletes it, starts a new operation", async () => {
    const old = attemptIn(await other.claim());
    clock.advance(dayMs);
    const won = proxy.interrupt(keyWrite("update"), async () => other.free(old));
    expect(attemptIn(await ours.claim("another")).operationid).not.toBe(old.operationid);
    await won;
    expect((await other.claim("another")).kind).toBe("running");
  });
});

describe("an attempt that the other gateway takes over", () => {
  /** The other gateway takes the key over while this write of ours waits. */
  async function takenOverBefore(
    interruption: Parameters<StoreProxy["interrupt"]>[0],
    act: (attempt: KeyAttempt) => Promise<unknown>,
  ) {
    const attempt = attemptIn(await ours.claim());
    const taken: KeyAttempt[] = [];
    const won = proxy.interrupt(interruption, async () => {
      endLeases();
      taken.push(attemptIn(await other.claim()));
    });
    const outcome = await act(attempt);
    await won;
    expect(taken).toMatchObject([{ operationid: attempt.operationid }]);
    return { outcome, taken: taken[0] as KeyAttempt };
  }

  it("cannot store its answer, and the other one can", async () => {
    const { outcome, taken } = await takenOverBefore(answerInsert, async (attempt) =>
      ours.storeAnswer(attempt, answer),
    );
    expect(outcome).toBe("running");
    expect(await other.storeAnswer(taken, answerOfOther)).toEqual(answerOfOther);
    expect(outcomeOf(await ours.claim())).toBe('{"by":"the other"}');
  });

  it("does not free the key of the other one", async () => {
    const { taken } = await takenOverBefore(keyWrite("delete"), async (attempt) =>
      ours.free(attempt),
    );
    expect((await ours.claim()).kind).toBe("running");
    expect(await other.storeAnswer(taken, answerOfOther)).toEqual(answerOfOther);
  });

  it("does not end the lease of the other one", async () => {
    const { taken } = await takenOverBefore(keyWrite("update"), async (attempt) =>
      ours.endLease(attempt),
    );
    expect((await ours.claim()).kind).toBe("running");
    expect(await other.storeAnswer(taken, answerOfOther)).toEqual(answerOfOther);
  });

  it("gets the answer of the other one, if it is stored when ours arrives", async () => {
    const attempt = attemptIn(await ours.claim());
    const won = proxy.interrupt(answerInsert, async () => {
      endLeases();
      await other.storeAnswer(attemptIn(await other.claim()), answerOfOther);
    });
    const held = await ours.storeAnswer(attempt, answer);
    await won;
    expect(held !== "running" && Buffer.from(held.body).toString()).toBe('{"by":"the other"}');
  });
});
