import { randomBytes } from "node:crypto";
import { minuteMs, secondMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { freshNamespace, startSimulator, useSharedServers } from "@malipo/testing";
import { afterAll, describe, expect, it } from "vitest";
import { allowanceOfPhone } from "../src/domain/prompt/prompt-allowance.ts";
import { noPurpose } from "../src/domain/transaction/transaction.ts";
import type { Bill } from "../src/workflows/find-bill.ts";
import { payBill } from "../src/workflows/pay-bill.ts";
import { visitorAt } from "../src/domain/visitor.ts";
import { outcomes, type ReportedOutcome } from "./callback-about.ts";
import { businessid, nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator();
const newAttempt = () => randomBytes(16).toString("base64url");

/** Opens several processes over one store, with equal clocks. */
async function openProcesses(count: number) {
  const NAMESPACE = freshNamespace();
  const open = async () => openPayments(servers, simulator.url, { NAMESPACE });
  const processes = await Promise.all(Array.from({ length: count }, open));
  const taken = async (index: number, phone: string) => {
    const process = processes[index % processes.length];
    if (!process) throw new Error("no process is open");
    return process.deps.promptAllowances.take(allowanceOfPhone(phone), newAttempt());
  };
  return {
    taken,
    /** Replaces all processes by one without any memory, at the same time of the clock. */
    restart: async () => {
      const started = await open();
      started.clock.set(processes[0]?.clock.now() ?? started.clock.now());
      processes.splice(0, processes.length, started);
    },
    pass: (minutes: number) => {
      for (const { clock } of processes) {
        clock.set(new Date(clock.now().getTime() + minutes * minuteMs));
      }
    },
  };
}

describe("the prompt allowance of a phone", () => {
  it("is three in ten minutes over all processes, also for concurrent requests", async () => {
    const { taken, pass, restart } = await openProcesses(3);
    const phone = nextPhone();
    const asked = await Promise.all(
      Array.from({ length: 12 }, async (_, nth) => taken(nth, phone)),
    );
    expect(asked.filter((from) => from === null)).toHaveLength(3);
    pass(9);
    await restart();
    expect(await taken(0, phone)).toBeInstanceOf(Date);
    expect(await taken(0, nextPhone())).toBeNull();
    pass(1);
    expect(await taken(0, phone)).toBeNull();
  });

  it("is ten a day, and survives restarts", async () => {
    const { taken, pass, restart } = await openProcesses(2);
    const phone = nextPhone();
    for (let nth = 0; nth < 10; nth += 1) {
      expect(await taken(nth, phone)).toBeNull();
      if (nth === 4) await restart();
      pass(20);
    }
    await restart();
    // The day begins with the first prompt.
    pass(24 * 60 - 10 * 20 - 1);
    expect(await taken(0, phone)).toBeInstanceOf(Date);
    pass(1);
    expect(await taken(0, phone)).toBeNull();
    expect(await taken(0, phone)).toBeInstanceOf(Date);
  });
});

describe("the hold on a phone", () => {
  it("allows one prompt at a time over all processes, and survives a restart", async () => {
    const NAMESPACE = freshNamespace();
    const open = async () => openPayments(servers, simulator.url, { NAMESPACE });
    const [one, other] = await Promise.all([open(), open()]);
    simulator.change({ timing: { outcomeMs: 60_000 } });
    const phone = nextPhone();
    const answers = await Promise.all([one.request(phone), other.request(phone)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    const later = await open();
    expect(await later.request(phone)).toMatchObject({ ok: false, error: { code: "phone_busy" } });
    later.clock.set(new Date(later.clock.now().getTime() + 3 * minuteMs));
    expect(await later.request(phone)).toMatchObject({ ok: true });
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

const { deps, clock, report } = await openPayments(servers, simulator.url, {}, afterAll);

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

describe("the prompts of an address on a link", () => {
  it("are twenty, and do not bind the customer of the bill", async () => {
    const linkid = newId();
    const asked = Array.from({ length: 22 }, async () => pay(linkid, nextPhone(), "198.51.100.7"));
    const strangers = await Promise.all(asked);
    expect(strangers.filter(({ ok }) => ok)).toHaveLength(20);
    const last = strangers.find(({ ok }) => !ok);
    expect(last).toMatchObject({ error: { code: "rate_limited", retryAfterSeconds: 3_600 } });
    expect(await pay(linkid, customerphone, "198.51.100.7")).toMatchObject(accepted);
    clock.advance(60 * minuteMs);
    expect(await pay(linkid, nextPhone(), "198.51.100.7")).toMatchObject(accepted);
  });

  it.each([
    ["are kept when their owners cancel", outcomes.cancels, refused],
    ["come back when their owners try to pay", outcomes.hasNoMoney, accepted],
  ])("%s", async (_, outcome, expected) => {
    const linkid = newId();
    for (let count = 0; count < 20; count += 1) {
      expect(await payAnd(outcome, linkid, nextPhone(), "198.51.100.7")).toMatchObject(accepted);
    }
    expect(await pay(linkid, nextPhone(), "198.51.100.7")).toMatchObject(expected);
    expect(await pay(linkid, nextPhone(), "198.51.100.8")).toMatchObject(accepted);
  });
});

describe("the prompts of a payer's phone", () => {
  it("are three from one IPv6 network, and six from everywhere", async () => {
    const [linkid, payer] = [newId(), nextPhone()];
    const from = async (address: string) => payAnd(outcomes.cancels, linkid, payer, address);
    await payAnd(outcomes.pays, linkid, payer, "203.0.113.1");
    clock.advance(10 * minuteMs);
    for (const network of ["1", "2", "3"]) {
      expect(await from(`2001:db8:1:${network}::/64`)).toMatchObject(accepted);
    }
    expect(await from("2001:db8:1:4::/64")).toMatchObject(refused);
    for (const network of ["2", "3", "4"]) {
      expect(await from(`2001:db8:${network}:1::/64`)).toMatchObject(accepted);
    }
    expect(await from("203.0.113.1")).toMatchObject(refused);
    clock.advance(10 * minuteMs);
    expect(await from("203.0.113.1")).toMatchObject(accepted);
  });
});

/** Thirty prompts that nobody answers, three from each of ten addresses. */
async function pester(linkid: string, addressOf: (nth: number) => string): Promise<void> {
  for (let nth = 0; nth < 30; nth += 1) {
    const answer = await payAnd(outcomes.isAway, linkid, nextPhone(), addressOf(nth % 10));
    expect(answer).toMatchObject(accepted);
  }
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
