import { randomBytes } from "node:crypto";
import { minuteMs, secondMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { freshNamespace, startSimulator, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { allowanceOfPhone } from "../src/domain/prompt/prompt-allowance.ts";
import { noPurpose } from "../src/domain/transaction/transaction.ts";
import type { Bill } from "../src/workflows/find-bill.ts";
import { payBill } from "../src/workflows/pay-bill.ts";
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

describe("the allowance of an address on a link", () => {
  const bill: Bill = {
    code: "",
    businessid,
    business: "Duka la Asha",
    status: "active",
    title: "School fees",
    description: null,
    owed: null,
    partpayment: true,
    debt: null,
    linkid: newId(),
    customerphone: "254733999999",
    purpose: noPurpose,
    referenceid: null,
  };

  it("is twenty over all processes, and does not bind the customer of the bill", async () => {
    const { deps, clock } = await openPayments(servers, simulator.url);
    const pay = async (phone: string) => {
      const attempt = newAttempt();
      const order = { attempt, phone, shillings: 100, askedfrom: "an address" };
      const deadline = new Date(clock.now().getTime() + 30 * secondMs);
      const purpose = { ...noPurpose, paymentlinkid: bill.linkid };
      return payBill(deps, { ...bill, purpose }, order, {
        businessid,
        cause: { now: clock.now(), operationid: attempt },
        deadline,
      });
    };
    const strangers = await Promise.all(Array.from({ length: 22 }, async () => pay(nextPhone())));
    expect(strangers.filter(({ ok }) => ok)).toHaveLength(20);
    const refused = strangers.find(({ ok }) => !ok);
    expect(refused).toMatchObject({ error: { code: "rate_limited", retryAfterSeconds: 3_600 } });
    expect(await pay("254733999999")).toMatchObject({ ok: true });
    clock.advance(60 * minuteMs);
    expect(await pay(nextPhone())).toMatchObject({ ok: true });
  });
});
