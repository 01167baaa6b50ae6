import { randomBytes } from "node:crypto";
import { secondMs } from "@malipo/core";
import { newId } from "@malipo/platform";
import { freshNamespace, startSimulator, useSharedServers } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { outcomes, type ReportedOutcome } from "./callback-about.ts";
import { businessid, nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator({ settings: { timing: { outcomeMs: 600_000 } } });
const NAMESPACE = freshNamespace();
const open = async (env = {}) =>
  openPayments(servers, simulator.url, { NAMESPACE, ...env }, afterAll);
const payments = await open();
const { request, report, prompted, clock, deps } = payments;
/** Another process over the same store. It does not know the magic numbers. */
const live = await open({ MODE: "live" });
await live.deps.methods.insert(await paybillOf(live), [], { now: live.clock.now() });
const otherBusiness = "6743f1b2c9e8a45d3f0b7c33";

const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);
const resting = (retryAfterSeconds: number) => ({
  ok: false,
  error: {
    code: "phone_resting",
    status: 429,
    text: "Rate limit exceeded. Please try again later.",
    retryAfterSeconds,
  },
});

/** Sends a prompt, and its outcome comes five seconds later. */
async function promptedAnd(
  { prompted, report, clock }: Awaited<ReturnType<typeof open>>,
  phone: string,
  outcome: ReportedOutcome,
): Promise<string> {
  const id = await prompted(phone);
  clock.advance(5 * secondMs);
  await report(id, outcome);
  return id;
}

/** Counts the attempts to hold a phone. */
function countHolds(deps: Deps) {
  let count = 0;
  const hold: Deps["phoneHolds"]["hold"] = async (...of) => {
    count += 1;
    return deps.phoneHolds.hold(...of);
  };
  return { count: () => count, deps: { ...deps, phoneHolds: { ...deps.phoneHolds, hold } } };
}

describe("a phone that was prompted without success by the API", () => {
  it.each([
    ["cancels", outcomes.cancels],
    ["types a wrong PIN", outcomes.mistypes],
    ["does not answer", outcomes.isAway],
  ])("rests twice as long each time its owner %s", async (_, outcome) => {
    const phone = nextPhone();
    for (const seconds of [30, 60]) {
      await promptedAnd(payments, phone, outcome);
      expect(await request(phone)).toMatchObject(resting(seconds));
      clock.advance((seconds - 1) * secondMs);
      expect(await request(phone)).toMatchObject(resting(1));
      clock.advance(secondMs);
    }
    expect(promptsOf(phone)).toHaveLength(2);
  });

  it("gets a handful of prompts from a caller that never waits", async () => {
    const phone = nextPhone();
    for (let second = 0; second < 5; second += 1) {
      const answers = await Promise.all([request(phone), request(phone), request(phone)]);
      for (const answer of answers) {
        if (answer.ok) await report(answer.value.transactionid, outcomes.cancels);
      }
      clock.advance(secondMs);
    }
    expect(promptsOf(phone)).toHaveLength(1);
  });

  it("is prompted once its owner has paid, and counts from one again", async () => {
    const phone = nextPhone();
    await promptedAnd(payments, phone, outcomes.cancels);
    clock.advance(30 * secondMs);
    await promptedAnd(payments, phone, outcomes.cancels);
    clock.advance(60 * secondMs);
    await report(await prompted(phone), outcomes.pays);
    await promptedAnd(payments, phone, outcomes.cancels);
    expect(await request(phone)).toMatchObject(resting(30));
  });

  it("does not rest after a prompt that failed for another reason", async () => {
    const phone = nextPhone();
    await promptedAnd(payments, phone, outcomes.hasNoMoney);
    expect(await payments.request(phone)).toMatchObject({ ok: true });
  });

  it("rests for the business that prompted it, and for no other", async () => {
    const phone = nextPhone();
    await promptedAnd(payments, phone, outcomes.cancels);
    expect(await payments.request(phone)).toMatchObject(resting(30));
    expect(await payments.request(phone, newId(), otherBusiness)).toMatchObject({ ok: true });
  });

  it("stays resting for that business while another prompts it, and is held for nobody", async () => {
    const phone = nextPhone();
    await promptedAnd(payments, phone, outcomes.cancels);
    await payments.request(phone, newId(), otherBusiness);
    const { deps, count } = countHolds(payments.deps);
    for (let poll = 0; poll < 3; poll += 1) {
      const answer = await payments.request(phone, newId(), businessid, deps);
      expect(answer).toMatchObject(resting(30));
    }
    expect(count()).toBe(0);
  });

  it("is free again at once when the outcomes of earlier prompts cannot be read", async () => {
    const phone = nextPhone();
    const { transactions } = payments.deps;
    const holds = countHolds(payments.deps);
    const recentPrompts: typeof transactions.recentPrompts = async (...of) => {
      if (holds.count() > 0) throw new Error("the store is away");
      return transactions.recentPrompts(...of);
    };
    const broken = { ...holds.deps, transactions: { ...transactions, recentPrompts } };
    await expect(payments.request(phone, newId(), businessid, broken)).rejects.toThrow("is away");
    expect(await payments.request(phone, newId(), otherBusiness)).toMatchObject({ ok: true });
  });

  it("rests behind any number of prompts that never rang, and of prompts by pages", async () => {
    const phone = nextPhone();
    await promptedAnd(payments, phone, outcomes.cancels);
    const { collection } = payments.deps.transactions;
    const found = await collection.findOne({ phone });
    if (!found) throw new Error("no transaction");
    await collection.insertMany(
      Array.from({ length: 60 }, (_, nth) => ({
        ...found,
        _id: new ObjectId(),
        createdby: newId(),
        createdat: payments.clock.now(),
        ...(nth % 2 === 0
          ? { state: "failed", reason: "refused" }
          : { holder: randomBytes(16).toString("base64url") }),
      })),
    );
    expect(await payments.request(phone)).toMatchObject(resting(30));
  });

  it("rests in every process, also in one that has sent no prompt", async () => {
    const phone = nextPhone();
    await promptedAnd(payments, phone, outcomes.cancels);
    live.clock.set(clock.now());
    expect(await live.request(phone)).toMatchObject(resting(30));
  });

  it("keeps a request waiting that could not be sent before", async () => {
    const phone = nextPhone();
    const operation = newId();
    simulator.change({ phones: { [phone]: "254700100102" } });
    expect(await request(phone, operation)).toMatchObject({
      error: { code: "provider_unreachable" },
    });
    simulator.change({ phones: {} });
    await promptedAnd(payments, phone, outcomes.cancels);
    expect(await request(phone, operation)).toMatchObject(resting(30));
    payments.clock.advance(30 * secondMs);
    expect(await request(phone, operation)).toMatchObject({ ok: true });
    const sent = await deps.transactions.findByOperation(businessid, operation);
    expect(sent?.entity).toMatchObject({ state: "prompted" });
  });
});

describe("the limits of a rest", () => {
  it("are settings", async () => {
    const short = await open({ PHONE_REST_SECONDS: "7", PHONE_REST_MAX_SECONDS: "10" });
    short.clock.set(clock.now());
    const phone = nextPhone();
    for (const seconds of [7, 10, 10]) {
      await promptedAnd(short, phone, outcomes.cancels);
      expect(await short.request(phone)).toMatchObject(resting(seconds));
      short.clock.advance(seconds * secondMs);
    }
    const restless = await open({ PHONE_REST_SECONDS: "0" });
    restless.clock.set(short.clock.now());
    await promptedAnd(restless, phone, outcomes.cancels);
    expect(await restless.request(phone)).toMatchObject({ ok: true });
  });

  it.each([["254700001032"], ["254700001037"], ["254700002001"]])(
    "do not hold for the sandbox's magic number %s, but for the same number live",
    async (phone) => {
      for (let count = 0; count < 3; count += 1) {
        await promptedAnd(payments, phone, outcomes.cancels);
      }
      live.clock.set(clock.now());
      expect(await live.request(phone)).toMatchObject(resting(120));
    },
  );
});

/** The simulator's paybill as a payment method, because a live business has no other. */
async function paybillOf({ deps, clock }: Awaited<ReturnType<typeof open>>) {
  const account = {
    type: "paybill",
    shortcode: "174379",
    storenumber: null,
    consumerkey: "sandbox-paybill-key",
    consumersecret: "sandbox-paybill-secret",
    passkey: "bfb279f9aa9bdbcf158e97dd71a467cd2e0c893059b10f78e6b72ada1ed2c919",
  } as const;
  const now = clock.now();
  return {
    id: newId(),
    businessid,
    type: account.type,
    shortcode: account.shortcode,
    storenumber: account.storenumber,
    settingsid: await deps.settings.insert(businessid, account),
    chosenat: now,
    deletedat: null,
    createdat: now,
    updatedat: now,
  };
}

describe("a phone with an open prompt", () => {
  it("is busy for every business in the same words and at the same time", async () => {
    const [own, foreign] = [nextPhone(), nextPhone()];
    await prompted(own);
    await request(foreign, newId(), otherBusiness);
    const answers = await Promise.all([request(own), request(foreign)]);
    expect(answers[0]).toMatchObject({ ok: false, error: { code: "phone_busy" } });
    expect(answers[1]).toEqual(answers[0]);
    clock.advance(3 * 60 * secondMs - 1);
    expect(await request(foreign)).toEqual(await request(own));
    clock.advance(1);
    expect(await request(foreign)).toMatchObject({ ok: true });
  });
});
