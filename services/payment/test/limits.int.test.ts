import { randomBytes } from "node:crypto";
import { minuteMs, secondMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { freshNamespace, startSimulator, useSharedServers } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { allowanceOfPhone, allowancesOfVisitor } from "../src/domain/prompt/prompt-allowance.ts";
import { noPurpose } from "../src/domain/transaction/transaction.ts";
import type { Bill } from "../src/workflows/find-bill.ts";
import { payBill } from "../src/workflows/pay-bill.ts";
import { visitorAt } from "../src/domain/visitor.ts";
import { outcomes, type ReportedOutcome } from "./callback-about.ts";
import { businessid, nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator({ settings: { timing: { outcomeMs: 600_000 } } });
const newAttempt = () => randomBytes(16).toString("base64url");

/** Two processes over one store: neither has anything in its memory that the other has done. */
const env = { NAMESPACE: freshNamespace() };
const one = await openPayments(servers, simulator.url, env, afterAll);
const other = await openPayments(servers, simulator.url, env, afterAll);
const { deps, clock, report } = one;

function pass(minutes: number): void {
  for (const process of [one, other]) process.clock.advance(minutes * minuteMs);
}

const take = async (of: Deps, phone: string) =>
  of.promptAllowances.take(allowanceOfPhone(phone), newAttempt());

describe("the prompt allowance of a phone", () => {
  it("is three in ten minutes over all processes, also for concurrent requests", async () => {
    const phone = nextPhone();
    const asked = await Promise.all(
      [one, other, one, other, one, other].map(async (process) => take(process.deps, phone)),
    );
    expect(asked.filter((from) => from === null)).toHaveLength(3);
    pass(9);
    expect(await take(deps, phone)).toBeInstanceOf(Date);
    expect(await take(deps, nextPhone())).toBeNull();
    pass(1);
    expect(await take(deps, phone)).toBeNull();
  });

  it("is ten a day, whichever process sent them", async () => {
    const phone = nextPhone();
    for (let nth = 0; nth < 10; nth += 1) {
      expect(await take(deps, phone)).toBeNull();
      pass(20);
    }
    // The day begins with the first prompt.
    pass(24 * 60 - 10 * 20 - 1);
    expect(await take(other.deps, phone)).toBeInstanceOf(Date);
    pass(1);
    expect(await take(other.deps, phone)).toBeNull();
    expect(await take(other.deps, phone)).toBeInstanceOf(Date);
  });
});

describe("the hold on a phone", () => {
  it("allows one prompt at a time over all processes", async () => {
    const phone = nextPhone();
    const answers = await Promise.all([one.request(phone), other.request(phone)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    const busy = { ok: false, error: { code: "phone_busy" } };
    expect(await one.request(phone)).toMatchObject(busy);
    expect(await other.request(phone)).toMatchObject(busy);
    pass(3);
    expect(await other.request(phone)).toMatchObject({ ok: true });
  });
});

const customerphone = "254733999999";

/** A reusable link for any amount, as a visitor sees it. */
function billOf(linkid: string): Bill {
  return {
    code: "",
    businessid,
    business: "Duka la Asha",
    status: "active",
    title: "School fees",
    description: null,
    owed: null,
    partpayment: true,
    debt: null,
    linkid,
    customerphone,
    purpose: { ...noPurpose, paymentlinkid: linkid },
    referenceid: null,
  };
}

/** Asks for a prompt by a page. */
async function pay(linkid: string, phone: string, address: string) {
  const attempt = newAttempt();
  const order = { attempt, phone, shillings: 100, ...visitorAt(address, deps.hashAddress) };
  return payBill(deps, billOf(linkid), order, {
    businessid,
    cause: { now: clock.now(), operationid: attempt },
    deadline: new Date(clock.now().getTime() + 30 * secondMs),
  });
}

/** Asks for a prompt by a page, and its outcome comes. */
async function payAnd(
  outcome: ReportedOutcome,
  ...[linkid, phone, address]: Parameters<typeof pay>
) {
  const answer = await pay(linkid, phone, address);
  const [prompt] = await deps.transactions.collection
    .find({ phone })
    .sort({ createdat: -1, _id: -1 })
    .toArray();
  if (answer.ok && prompt) await report(String(prompt._id), outcome);
  return answer;
}

const refused = { ok: false, error: { code: "rate_limited" } };
const accepted = { ok: true };

/** The address has asked for so many prompts of the link. */
async function takeOfVisitor(linkid: string, address: string, count: number): Promise<void> {
  const [allowance] = allowancesOfVisitor(visitorAt(address, deps.hashAddress), linkid);
  if (!allowance) throw new Error("no allowance");
  for (let nth = 0; nth < count; nth += 1) {
    await deps.promptAllowances.take(allowance, newAttempt());
  }
}

describe("the prompts of an address on a link", () => {
  const address = "198.51.100.7";

  it("are twenty, and do not bind the customer of the bill", async () => {
    const linkid = newId();
    await takeOfVisitor(linkid, address, 18);
    const asked = Array.from({ length: 4 }, async () => pay(linkid, nextPhone(), address));
    const strangers = await Promise.all(asked);
    expect(strangers.filter(({ ok }) => ok)).toHaveLength(2);
    const last = strangers.find(({ ok }) => !ok);
    expect(last).toMatchObject({ error: { code: "rate_limited", retryAfterSeconds: 3_600 } });
    expect(await pay(linkid, customerphone, address)).toMatchObject(accepted);
    pass(60);
    expect(await pay(linkid, nextPhone(), address)).toMatchObject(accepted);
  });

  it.each([
    ["is kept when its owner cancels", outcomes.cancels, refused],
    ["comes back when its owner has no money", outcomes.hasNoMoney, accepted],
    ["comes back when its owner pays", outcomes.pays, accepted],
  ])("the twentieth %s", async (_, outcome, expected) => {
    const linkid = newId();
    await takeOfVisitor(linkid, address, 19);
    expect(await payAnd(outcome, linkid, nextPhone(), address)).toMatchObject(accepted);
    expect(await pay(linkid, nextPhone(), address)).toMatchObject(expected);
    expect(await pay(linkid, nextPhone(), "198.51.100.8")).toMatchObject(accepted);
  });
});

describe("the prompts of a payer's phone", () => {
  it("are three from one IPv6 network, and six from everywhere", async () => {
    const [linkid, payer] = [newId(), nextPhone()];
    const from = async (address: string) => payAnd(outcomes.cancels, linkid, payer, address);
    await payAnd(outcomes.pays, linkid, payer, "203.0.113.1");
    pass(10);
    for (const network of ["1", "2", "3"]) {
      expect(await from(`2001:db8:1:${network}::/64`)).toMatchObject(accepted);
    }
    expect(await from("2001:db8:1:4::/64")).toMatchObject(refused);
    for (const network of ["2", "3", "4"]) {
      expect(await from(`2001:db8:${network}:1::/64`)).toMatchObject(accepted);
    }
    expect(await from("203.0.113.1")).toMatchObject(refused);
    pass(10);
    expect(await from("203.0.113.1")).toMatchObject(accepted);
  });
});

/** Thirty prompts that nobody answers, three from each of ten addresses. One of them is sent. */
async function pester(linkid: string, addressOf: (nth: number) => string): Promise<void> {
  const phone = nextPhone();
  expect(await payAnd(outcomes.isAway, linkid, phone, addressOf(0))).toMatchObject(accepted);
  const { collection } = deps.transactions;
  const sent = await collection.findOne({ phone });
  if (!sent) throw new Error("no transaction");
  const more = Array.from({ length: 29 }, (_, nth) => ({
    ...sent,
    _id: new ObjectId(),
    createdby: newId(),
    ...visitorAt(addressOf((nth + 1) % 10), deps.hashAddress),
  }));
  await collection.insertMany(more);
}

describe("a link whose prompts nobody answers", () => {
  it("stays open when one IPv6 subscriber asked for them", async () => {
    const linkid = newId();
    await pester(linkid, (nth) => `2001:db8:1:${nth}::/64`);
    expect(await pay(linkid, nextPhone(), "203.0.113.9")).toMatchObject(accepted);
  });

  it("pauses for strangers when they come from ten places, and stays open to payers", async () => {
    const linkid = newId();
    await pester(linkid, (nth) => `192.0.2.${nth}`);
    expect(await pay(linkid, nextPhone(), "203.0.113.9")).toMatchObject(refused);
    expect(await pay(linkid, customerphone, "203.0.113.9")).toMatchObject(accepted);
  });
});
