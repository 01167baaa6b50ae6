import { call, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { operatorOf } from "./malipo.ts";

const system = useSystem([]);
const operator = operatorOf(system);
const evictedWithinMs = 1_000;

async function issue(): Promise<{ keyid: string; secret: string }> {
  const { _id, secret } = await operator.record("key", "issue", system.business.businessid);
  return { keyid: String(_id), secret: String(secret) };
}

async function statusWith(secret: string): Promise<number> {
  return (await call(`${system.gateway().apiUrl}/business/settings`, "GET", secret)).status;
}

/** Not before the time is up: what still works a second later was not evicted in time. */
async function refusedWithin(ms: number, secret: string): Promise<boolean> {
  const giveUpAt = performance.now() + ms;
  while (performance.now() < giveUpAt) if ((await statusWith(secret)) === 401) return true;
  return false;
}

it("a key is issued with a secret that works, and listed without it", async () => {
  const { keyid, secret } = await issue();
  expect(secret).toMatch(/^sk_test_/);
  expect(await statusWith(secret)).toBe(200);
  const [newest] = await operator.list("key", "list", system.business.businessid);
  expect(newest).toMatchObject({ _id: keyid, status: "active", revokedat: null });
  expect(newest).not.toHaveProperty("secret");
});

it("people are told that a secret is shown once", async () => {
  const issued = await operator.run("key", "issue", system.business.businessid);
  expect(issued.stdout).toContain("The secret is shown only this once");
  expect(issued.stdout).toMatch(/^secret {2,}sk_test_\w+$/m);
  const { keyid } = await issue();
  const rotated = await operator.run("key", "rotate", keyid, "--overlap", "30m");
  expect(rotated.stdout).toContain("The old secret works for another 30m.");
  expect(rotated.stdout).toContain("The new secret is shown only this once");
  expect(rotated.stdout).toMatch(/^secret {2,}sk_test_\w+$/m);
  const list = await operator.run("key", "list", system.business.businessid);
  expect(list.stdout).toMatch(/^ID {2,}STATUS +CREATED +LAST USED +ENDS$/m);
  expect(list.stdout).toContain("expiring");
});

it("a revoked key is refused within a second", async () => {
  const { keyid, secret } = await issue();
  expect(await statusWith(secret)).toBe(200);
  expect(await operator.record("key", "revoke", keyid)).toMatchObject({
    _id: keyid,
    status: "revoked",
    revokedat: expect.any(String),
  });
  expect(await refusedWithin(evictedWithinMs, secret)).toBe(true);
});

it("a rotated key works on for its overlap, a day if nothing is said", async () => {
  const { keyid, secret } = await issue();
  const before = Date.now();
  const rotated = await operator.record("key", "rotate", keyid);
  expect(rotated["_id"]).not.toBe(keyid);
  expect(await statusWith(secret)).toBe(200);
  expect(await statusWith(String(rotated["secret"]))).toBe(200);
  const keys = await operator.list("key", "list", system.business.businessid, "--limit", "100");
  const old = keys.find(({ _id }) => _id === keyid);
  expect(old).toMatchObject({ status: "expiring" });
  const hours = (Date.parse(String(old?.["expiresat"])) - before) / 3_600_000;
  expect(hours).toBeGreaterThanOrEqual(24);
  expect(hours).toBeLessThan(24.1);
});

it("a key rotated without overlap ends at once", async () => {
  const { keyid, secret } = await issue();
  expect(await statusWith(secret)).toBe(200);
  const rotated = await operator.record("key", "rotate", keyid, "--overlap", "0");
  expect(await refusedWithin(evictedWithinMs, secret)).toBe(true);
  expect(await statusWith(String(rotated["secret"]))).toBe(200);
  const again = await operator.run("key", "rotate", keyid);
  expect(again).toMatchObject({ code: 1, stdout: "", stderr: "Key is expired.\n" });
});

it("an overlap that is too long is refused by the API, one that is no duration before", async () => {
  const { keyid } = await issue();
  const tooLong = await operator.run("key", "rotate", keyid, "--overlap", "8d");
  expect(tooLong).toMatchObject({
    code: 1,
    stderr: "overlapseconds must be at most 604800.\n",
  });
  const none = await operator.run("key", "rotate", keyid, "--overlap", "soon");
  expect(none.code).toBe(2);
  expect(none.stderr).toContain("--overlap must be a duration like");
});
