import { eventually, startSimulator, useSystem } from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { countOf, newPhone, openLink, unreachable, visitorOf } from "./prompt-attacks.ts";

const simulator = await startSimulator({ settings: { timing: { outcomeMs: 5 } } });
const system = useSystem(["invoice", "payment"], { env: { MPESA_BASE_URL: simulator.url } });
const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);

async function ended(phones: readonly string[]): Promise<void> {
  const transactions = system.database("payment").collection("transactions");
  const open = { phone: { $in: [...phones] }, state: { $in: ["calling", "prompted"] } };
  await eventually(async () => expect(await transactions.countDocuments(open)).toBe(0));
}

describe("a stranger who types unreachable numbers into a page", () => {
  const payer = newPhone();
  const stranger = visitorOf(system, "198.51.100.7");
  let code = "";

  beforeAll(async () => {
    code = await openLink(system);
    await visitorOf(system, "203.0.113.1").pay(code, payer);
    await ended([payer]);
  });

  it("is refused, and closes the page neither to others nor to known payers", async () => {
    const phones = Array.from({ length: 31 }, newPhone);
    simulator.change({ phones: unreachable(phones) });
    const statuses = await Promise.all(phones.map(async (phone) => stranger.pay(code, phone)));
    expect(countOf(statuses)).toEqual({ 200: 20, 429: 11 });
    await ended(phones);
    // Others, at another address.
    const other = visitorOf(system, "198.51.100.8");
    expect(await other.pay(code, newPhone())).toBe(200);
    // A known payer, even at the address of the stranger.
    expect(await stranger.pay(code, newPhone())).toBe(429);
    expect(await stranger.pay(code, payer)).toBe(200);
    expect(promptsOf(payer)).toHaveLength(2);
  });

  it("closes the page to strangers only, when it comes from many addresses", async () => {
    const target = await openLink(system);
    const phones = Array.from({ length: 30 }, newPhone);
    simulator.change({ phones: unreachable(phones) });
    const statuses = await Promise.all(
      phones.map(async (phone, nth) => visitorOf(system, `192.0.2.${nth % 10}`).pay(target, phone)),
    );
    expect(countOf(statuses)).toEqual({ 200: 30 });
    await ended(phones);
    expect(await visitorOf(system, "203.0.113.9").pay(target, newPhone())).toBe(429);
    expect(await visitorOf(system, "203.0.113.9").pay(target, payer)).toBe(200);
  });

  it("cannot use up the attempts of a payer who is elsewhere", async () => {
    const victim = newPhone();
    expect(await visitorOf(system, "203.0.113.2").pay(code, victim)).toBe(200);
    await ended([victim]);
    const far = visitorOf(system, "198.51.100.77");
    const statuses = [];
    for (let count = 0; count < 4; count += 1) {
      statuses.push(await far.pay(code, victim));
      await ended([victim]);
    }
    expect(countOf(statuses)).toEqual({ 200: 3, 429: 1 });
    expect(await visitorOf(system, "203.0.113.2").pay(code, victim)).toBe(200);
  });

  it("counts for all addresses of one IPv6 network, and not for the next network", async () => {
    const target = await openLink(system);
    const phones = Array.from({ length: 21 }, newPhone);
    simulator.change({ phones: unreachable(phones) });
    const statuses = await Promise.all(
      phones.map(async (phone, nth) =>
        visitorOf(system, `2001:db8:1:2::${nth + 1}`).pay(target, phone),
      ),
    );
    expect(countOf(statuses)).toEqual({ 200: 20, 429: 1 });
    expect(await visitorOf(system, "2001:db8:1:3::1").pay(target, newPhone())).toBe(200);
  });
});

describe("a visitor whose payers answer", () => {
  it("may ask for any number of prompts", async () => {
    const code = await openLink(system);
    const office = visitorOf(system, "198.51.100.200");
    const allowances = system.database("payment").collection("promptallowances");
    const countFull = async () => allowances.countDocuments({ "taken.7": { $exists: true } });
    const before = await countFull();
    for (let round = 0; round < 3; round += 1) {
      const phones = Array.from({ length: 8 }, newPhone);
      const statuses = await Promise.all(phones.map(async (phone) => office.pay(code, phone)));
      expect(countOf(statuses)).toEqual({ 200: 8 });
      await ended(phones);
      // An allowance is given back just after the outcome is stored.
      await eventually(async () => expect(await countFull()).toBe(before));
    }
  });
});

describe("a business that prompts a phone again and again by API", () => {
  const path = "/business/payments/mobile/request";

  it("is answered 429 with the code phone_resting and a time, and the phone is left alone", async () => {
    const phone = newPhone();
    simulator.change({ phones: { [phone]: "254700001032" } });
    const order = { amount: 100, phone, channel: "momo" };
    const first = await system.api("POST", path, order);
    expect(first.status).toBe(200);
    await ended([phone]);
    const refused = await system.api("POST", path, order, { "idempotency-key": "again" });
    expect(refused).toMatchObject({
      status: 429,
      body: {
        success: false,
        error: "Rate limit exceeded. Please try again later.",
        code: "phone_resting",
        retry_after: expect.any(Number),
      },
    });
    const { retry_after: wait } = refused.body;
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(30);
    expect(refused.headers.get("retry-after")).toBe(String(wait));
    const again = await system.api("POST", path, order, { "idempotency-key": "again" });
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    expect(promptsOf(phone)).toHaveLength(1);
  });

  it("may prompt a magic number of the sandbox as often as it likes", async () => {
    const order = { amount: 100, phone: "254700001032", channel: "momo" };
    for (let count = 0; count < 3; count += 1) {
      expect((await system.api("POST", path, order)).status).toBe(200);
      await ended([order.phone]);
    }
  });
});
