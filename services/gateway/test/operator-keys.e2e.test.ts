import { call, dataOf, eventually, makeBusiness, useSystem } from "@malipo/testing";
import { beforeEach, describe, expect, it } from "vitest";
import {
  bothGateways,
  expectAtBothGateways,
  getSettings,
  listIn,
  propagationMs,
} from "./operator-calls.ts";

const system = useSystem(["invoice"], { gateways: 2, ownProcess: ["gateway", "invoice"] });
const { operator } = system;

let own: { businessid: string; secret: string };
beforeEach(async () => {
  own = await makeBusiness(system.gateway());
});

async function keysOf(businessid: string) {
  return listIn(await operator("GET", `/operator/key/list/${businessid}`));
}

describe("a key", () => {
  it("is issued with its secret and listed without it", async () => {
    const issued = await operator("POST", `/operator/key/issue/${own.businessid}`);
    expect([issued.status, issued.body["message"]]).toEqual([201, "Key issued successfully"]);
    const { secret, ...key } = dataOf(issued);
    expect(secret).toMatch(/^sk_test_[0-9A-Za-z]{49}$/);
    await expectAtBothGateways(system, String(secret), 200);
    const answer = await operator("GET", `/operator/key/list/${own.businessid}`);
    expect(listIn(answer)[0]).toEqual(key);
    expect(listIn(answer)).toHaveLength(2);
    expect(answer.text).not.toContain("sk_test_");
  });

  it("works beside its successor until the overlap of a rotation ends", async () => {
    const [old] = await keysOf(own.businessid);
    const before = Date.now();
    const rotated = await operator("POST", `/operator/key/rotate/${String(old?.["_id"])}`, {
      overlapseconds: 3_600,
    });
    expect(rotated.status).toBe(200);
    await expectAtBothGateways(system, String(dataOf(rotated)["secret"]), 200);
    await expectAtBothGateways(system, own.secret, 200);
    const keys = await keysOf(own.businessid);
    expect(keys.map(({ status }) => status)).toEqual(["active", "expiring"]);
    const end = Date.parse(String(keys[1]?.["expiresat"])) - before;
    expect(end).toBeGreaterThanOrEqual(3_600_000);
    expect(end).toBeLessThan(3_610_000);
    const again = await operator("POST", `/operator/key/rotate/${String(old?.["_id"])}`, {});
    expect([again.status, again.body["error"]]).toEqual([409, "Key is expiring"]);
  });

  it("is refused at once when rotated without an overlap", async () => {
    await expectAtBothGateways(system, own.secret, 200);
    const [old] = await keysOf(own.businessid);
    const rotated = await operator("POST", `/operator/key/rotate/${String(old?.["_id"])}`, {
      overlapseconds: 0,
    });
    await expectAtBothGateways(system, own.secret, 401);
    await expectAtBothGateways(system, String(dataOf(rotated)["secret"]), 200);
    expect((await keysOf(own.businessid)).map(({ status }) => status)).toEqual([
      "active",
      "expired",
    ]);
  });

  it.each([
    [-1, "overlapseconds must be at least 0"],
    [604_801, "overlapseconds must be at most 604800"],
    [1.5, "overlapseconds must be a whole number"],
    ["60", "overlapseconds must be a number"],
  ])("is not rotated with an overlap of %j: %s", async (overlapseconds, text) => {
    const [key] = await keysOf(own.businessid);
    const answer = await operator("POST", `/operator/key/rotate/${String(key?.["_id"])}`, {
      overlapseconds,
    });
    expect([answer.status, answer.body["error"]]).toEqual([400, text]);
    expect(await keysOf(own.businessid)).toHaveLength(1);
  });

  it("is revoked at both gateways, and keeps the time of the first revocation", async () => {
    await expectAtBothGateways(system, own.secret, 200);
    const [key] = await keysOf(own.businessid);
    const path = `/operator/key/revoke/${String(key?.["_id"])}`;
    const revoked = await operator("POST", path);
    expect([revoked.status, dataOf(revoked)["status"]]).toEqual([200, "revoked"]);
    await expectAtBothGateways(system, own.secret, 401);
    expect(dataOf(await operator("POST", path))).toEqual(dataOf(revoked));
    const rotated = await operator("POST", path.replace("revoke", "rotate"), {});
    expect([rotated.status, rotated.body["error"]]).toEqual([409, "Key is revoked"]);
  });

  it("is refused within a second of its revocation under continuous requests", async () => {
    const [key] = await keysOf(own.businessid);
    const requests: { at: number; status: number }[] = [];
    const stop = new AbortController();
    const senders = bothGateways(system).flatMap((gateway) =>
      Array.from({ length: 4 }, async () => {
        while (!stop.signal.aborted) {
          const at = performance.now();
          requests.push({ at, status: (await getSettings(own.secret, gateway)).status });
        }
      }),
    );
    await eventually(() => expect(requests.length).toBeGreaterThan(40));
    await operator("POST", `/operator/key/revoke/${String(key?.["_id"])}`);
    const revokedAt = performance.now();
    await eventually(() =>
      expect(requests.filter(({ at }) => at > revokedAt + propagationMs).length).toBeGreaterThan(
        20,
      ),
    );
    stop.abort();
    await Promise.all(senders);
    const late = requests.filter(({ at }) => at > revokedAt + propagationMs);
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(requests.map(({ status }) => status))).toEqual(new Set([200, 401]));
  });

  it("does not abort a request in flight when it is revoked", async () => {
    const [key] = await keysOf(own.businessid);
    const { invoice } = system.gateway().services;
    const claimedKeys = system.database("gateway").collection("idempotencykeys");
    const before = await claimedKeys.countDocuments();
    invoice?.pause();
    try {
      const create = `${system.gateway(1).apiUrl}/business/product/create`;
      const product = { title: "Chai", price: 30 };
      const inFlight = call(create, "POST", own.secret, product, { "idempotency-key": "a" });
      // The idempotency key is claimed after authentication.
      await eventually(async () => expect(await claimedKeys.countDocuments()).toBe(before + 1));
      await operator("POST", `/operator/key/revoke/${String(key?.["_id"])}`);
      await expectAtBothGateways(system, own.secret, 401);
      invoice?.resume();
      expect((await inFlight).status).toBe(201);
    } finally {
      invoice?.resume();
    }
  });

  it("has the time of its last use, also at another gateway", async () => {
    const [key] = await keysOf(own.businessid);
    expect(key?.["lastusedat"]).toBeNull();
    const usedFrom = Date.now();
    const second = system.gateway(1);
    expect((await getSettings(own.secret, second)).status).toBe(200);
    const usedUntil = Date.now();
    // A gateway stores last uses once a minute and when it stops.
    await second.services["gateway"]?.stop();
    try {
      const [stored] = await keysOf(own.businessid);
      const at = Date.parse(String(stored?.["lastusedat"]));
      expect(at).toBeGreaterThanOrEqual(usedFrom);
      expect(at).toBeLessThanOrEqual(usedUntil);
    } finally {
      await second.services["gateway"]?.start();
    }
  });
});
