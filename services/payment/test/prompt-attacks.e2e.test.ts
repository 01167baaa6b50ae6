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
    const phones = Array.from({ length: 21 }, newPhone);
    simulator.change({ phones: unreachable(phones) });
    const statuses = await Promise.all(phones.map(async (phone) => stranger.pay(code, phone)));
    expect(countOf(statuses)).toEqual({ 200: 20, 429: 1 });
    await ended(phones);
    // Others, at another address.
    const other = visitorOf(system, "198.51.100.8");
    expect(await other.pay(code, newPhone())).toBe(200);
    // A known payer, even at the address of the stranger.
    expect(await stranger.pay(code, newPhone())).toBe(429);
    expect(await stranger.pay(code, payer)).toBe(200);
    expect(promptsOf(payer)).toHaveLength(2);
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
});
