import { call, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { createOperator } from "./malipo.ts";

const system = useSystem([]);
const operator = createOperator(system);
const revocationMaxMs = 1_000;

async function issueKey(): Promise<{ keyid: string; secret: string }> {
  const { _id, secret } = await operator.record("key", "issue", system.business.businessid);
  return { keyid: String(_id), secret: String(secret) };
}

async function requestStatus(secret: string): Promise<number> {
  return (await call(`${system.gateway().apiUrl}/business/settings`, "GET", secret)).status;
}

/** Returns false when the secret still works after `ms`. */
async function isRefusedWithin(ms: number, secret: string): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (performance.now() < deadline) if ((await requestStatus(secret)) === 401) return true;
  return false;
}

it("key issue prints a secret that works, and key list does not show it", async () => {
  const { keyid, secret } = await issueKey();
  expect(secret).toMatch(/^sk_test_/);
  expect(await requestStatus(secret)).toBe(200);
  const [newest] = await operator.list("key", "list", system.business.businessid);
  expect(newest).toMatchObject({ _id: keyid, status: "active", revokedat: null });
  expect(newest).not.toHaveProperty("secret");
});

it("key issue and key rotate say that the secret is shown once", async () => {
  const issued = await operator.run("key", "issue", system.business.businessid);
  expect(issued.stdout).toContain("The secret is shown only this once");
  expect(issued.stdout).toMatch(/^secret {2,}sk_test_\w+$/m);
  const { keyid } = await issueKey();
  const rotated = await operator.run("key", "rotate", keyid, "--overlap", "30m");
  expect(rotated.stdout).toContain("The old secret works for another 30m.");
  expect(rotated.stdout).toContain("The new secret is shown only this once");
  expect(rotated.stdout).toMatch(/^secret {2,}sk_test_\w+$/m);
  const list = await operator.run("key", "list", system.business.businessid);
  expect(list.stdout).toMatch(/^ID {2,}STATUS +CREATED +LAST USED +ENDS$/m);
  expect(list.stdout).toContain("expiring");
});

it("key revoke makes the secret fail within a second", async () => {
  const { keyid, secret } = await issueKey();
  expect(await requestStatus(secret)).toBe(200);
  expect(await operator.record("key", "revoke", keyid)).toMatchObject({
    _id: keyid,
    status: "revoked",
    revokedat: expect.any(String),
  });
  expect(await isRefusedWithin(revocationMaxMs, secret)).toBe(true);
});

it("key rotate keeps the old secret working for 24 hours by default", async () => {
  const { keyid, secret } = await issueKey();
  const before = Date.now();
  const rotated = await operator.record("key", "rotate", keyid);
  expect(rotated["_id"]).not.toBe(keyid);
  expect(await requestStatus(secret)).toBe(200);
  expect(await requestStatus(String(rotated["secret"]))).toBe(200);
  const keys = await operator.list("key", "list", system.business.businessid, "--limit", "100");
  const old = keys.find(({ _id }) => _id === keyid);
  expect(old).toMatchObject({ status: "expiring" });
  const hours = (Date.parse(String(old?.["expiresat"])) - before) / 3_600_000;
  expect(hours).toBeGreaterThanOrEqual(24);
  expect(hours).toBeLessThan(24.1);
});

it("key rotate --overlap 0 ends the old secret at once", async () => {
  const { keyid, secret } = await issueKey();
  expect(await requestStatus(secret)).toBe(200);
  const rotated = await operator.record("key", "rotate", keyid, "--overlap", "0");
  expect(await isRefusedWithin(revocationMaxMs, secret)).toBe(true);
  expect(await requestStatus(String(rotated["secret"]))).toBe(200);
  const again = await operator.run("key", "rotate", keyid);
  expect(again).toMatchObject({ code: 1, stdout: "", stderr: "Key is expired.\n" });
});

it("key rotate refuses an overlap that is too long or not a duration", async () => {
  const { keyid } = await issueKey();
  const tooLong = await operator.run("key", "rotate", keyid, "--overlap", "8d");
  expect(tooLong).toMatchObject({
    code: 1,
    stderr: "overlapseconds must be at most 604800.\n",
  });
  const none = await operator.run("key", "rotate", keyid, "--overlap", "soon");
  expect(none.code).toBe(2);
  expect(none.stderr).toContain("--overlap must be a duration like");
});
