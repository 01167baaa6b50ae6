import type { ServiceName } from "@malipo/contracts";
import { minuteMs } from "@malipo/core";
import {
  dataOf,
  eventually,
  idIn,
  prepareService,
  publishEvents,
  readEvents,
  type ServiceProcess,
  useSystem,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { billedIn, billedUnheard, paidUnheard } from "./lost-words.ts";
import { manyDue } from "./many-due.ts";

const system = useSystem(["invoice", "subscription", "payment"]);
const { operator } = system;
const others: ServiceProcess[] = [];
const count = 1_000;
const patienceMs = 50_000;

async function another(name: ServiceName): Promise<ServiceProcess> {
  const { natsUrl, mongodbUri, namespace } = system.servers;
  const one = await prepareService(name, {
    NATS_URL: natsUrl,
    MONGODB_URI: mongodbUri,
    NAMESPACE: namespace,
    LOG_LEVEL: "warn",
  });
  others.push(one);
  await one.start();
  return one;
}

beforeAll(async () => {
  await another("scheduler");
});
afterAll(async () => {
  await Promise.all(others.map(async (one) => one.stop()));
});

const run = async (id: string) => dataOf(await operator("GET", `/operator/run/details/${id}`));

const subscriptions = () => system.database("subscription").collection("subscriptions");
const invoices = () => system.database("invoice").collection("invoices");
const issuedFor = (id: string) => ({ "issuedfor.subscriptionid": id });

/** What the job's runs have counted so far: a slot's run may come between those of a test. */
async function counts(job: string) {
  const { body } = await operator("GET", `/operator/run/list?job=${job}&limit=100`);
  const counts = { found: 0, done: 0, skipped: 0, failed: 0 };
  for (const one of body["data"] as (typeof counts)[]) {
    counts.found += one.found;
    counts.done += one.done;
    counts.skipped += one.skipped;
    counts.failed += one.failed;
  }
  return counts;
}

/** Runs the job until nothing of it is left running. */
async function compareAll(job: string) {
  await operator("POST", "/operator/run/start", { job });
  await eventually(async () => {
    const { body } = await operator("GET", `/operator/run/list?job=${job}&limit=100`);
    const listed = body["data"] as { status: string }[];
    expect(listed.filter(({ status }) => /waiting|running/.test(status))).toEqual([]);
  }, patienceMs);
}

/** How it counts what is done meanwhile. */
async function counted(job: string, meanwhile: () => Promise<unknown>) {
  const before = await counts(job);
  await meanwhile();
  await compareAll(job);
  const after = await counts(job);
  return {
    found: after.found - before.found,
    done: after.done - before.done,
    skipped: after.skipped - before.skipped,
    failed: after.failed - before.failed,
  };
}

/** As if the time had come at which these are looked at. */
const dueNow = (ids: readonly string[], of = subscriptions()) =>
  of.updateMany(
    { _id: { $in: ids.map((id) => new ObjectId(id)) }, compare: { $ne: null } },
    { $set: { "compare.at": new Date() } },
  );
const billings = async (ids: readonly string[]) =>
  counted("billings-compared", async () => dueNow(ids));

describe("the scheduler", () => {
  it("has a run for every slot, once, and shows what it did", async () => {
    await another("scheduler");
    const runs = await eventually(async () => {
      const { body } = await operator("GET", "/operator/run/list?job=subscriptions-due&limit=100");
      const listed = body["data"] as { slot: string; status: string }[];
      expect(listed.filter(({ status }) => status === "done").length).toBeGreaterThan(0);
      return listed;
    }, 40_000);
    expect(new Set(runs.map(({ slot }) => slot)).size).toBe(runs.length);
    const { body } = await operator("GET", "/operator/job/overview");
    expect(body["data"]).toMatchObject([
      { name: "subscriptions-due" },
      { name: "invoices-overdue" },
      { name: "billings-compared" },
      { name: "payments-compared" },
    ]);
  });

  it(
    `bills ${count} due subscriptions once each, with its workers and schedulers killed`,
    async () => {
      const workers = await Promise.all([another("subscription"), another("subscription")]);
      const ids = new Set(await manyDue(system, count));
      const started = await operator("POST", "/operator/run/start", { job: "subscriptions-due" });
      expect(started.status).toBe(200);
      for (const victim of [workers[0], others[0], workers[1]]) {
        await victim?.kill();
        await victim?.start();
      }
      await eventually(async () => {
        expect(await run(idIn(started))).toMatchObject({ status: "done" });
        const subscriptions = system.database("subscription").collection("subscriptions");
        expect(await subscriptions.countDocuments({ dueat: { $lte: new Date() } })).toBe(0);
      }, patienceMs);
      await eventually(async () => {
        const invoices = system.database("invoice").collection("invoices");
        expect(
          await invoices.countDocuments({ "issuedfor.subscriptionid": { $in: [...ids] } }),
        ).toBe(count);
      }, patienceMs);
      const told = (await readEvents(system.servers)).filter(
        ({ type, recordid }) => type === "subscription.billed" && ids.has(recordid),
      );
      expect(new Set(told.map(({ id }) => id)).size).toBe(count);
      const numbers = await system.database("invoice").collection("invoices").distinct("invoiceno");
      expect(numbers.length).toBe(
        await system.database("invoice").collection("invoices").countDocuments(),
      );
    },
    3 * patienceMs,
  );

  it("sets aside what fails again and again, and takes it up when it is told to", async () => {
    const [id = ""] = await manyDue(system, 1);
    const subscriptions = system.database("subscription").collection("subscriptions");
    const broken = { $set: { tries: 7, billingcycle: "never" } };
    await subscriptions.updateOne({ _id: new ObjectId(id) }, broken);
    await operator("POST", "/operator/run/start", { job: "subscriptions-due" });
    const parked = await eventually(async () => {
      const { body } = await operator("GET", "/operator/parked/subscription");
      expect(body["data"]).toHaveLength(1);
      return body["data"];
    }, patienceMs);
    expect(parked).toMatchObject([{ _id: id, tries: 8, reason: expect.stringMatching(/./) }]);
    const whole = { $set: { billingcycle: "monthly" } };
    await subscriptions.updateOne({ _id: new ObjectId(id) }, whole);
    const retried = await operator("POST", "/operator/parked/retry/subscription", { id });
    expect(dataOf(retried)).toEqual({ retried: 1 });
    await operator("POST", "/operator/run/start", { job: "subscriptions-due" });
    await eventually(async () => {
      const invoices = system.database("invoice").collection("invoices");
      expect(await invoices.countDocuments({ "issuedfor.subscriptionid": id })).toBe(1);
    }, patienceMs);
  });
});

describe("a suspended business", () => {
  it("is not billed, and is at once when it is back", async () => {
    const [id = ""] = await manyDue(system, 1);
    const { businessid } = system.business;
    const read = async () =>
      system
        .database("subscription")
        .collection("subscriptions")
        .findOne({ _id: new ObjectId(id) });
    await operator("POST", `/operator/business/suspend/${businessid}`);
    await eventually(async () => {
      await operator("POST", "/operator/run/start", { job: "subscriptions-due" });
      expect((await read())?.["heldback"]).toBeInstanceOf(Date);
    }, patienceMs);
    expect((await read())?.["dueat"].getTime()).toBeGreaterThan(Date.now() + 50 * minuteMs);
    await operator("POST", `/operator/business/resume/${businessid}`);
    const invoices = system.database("invoice").collection("invoices");
    await eventually(async () => {
      await operator("POST", "/operator/run/start", { job: "subscriptions-due" });
      expect(await invoices.countDocuments({ "issuedfor.subscriptionid": id })).toBe(1);
    }, patienceMs);
    expect(await read()).toMatchObject({ heldback: null, tries: 0 });
  });
});

describe("what services believe of each other", () => {
  it("is compared: what was lost is told again, each once, and what is there is not", async () => {
    const ids = await billedUnheard(system, 3);
    const [lost = "", deleted = "", known = ""] = ids;
    const mine = { "issuedfor.subscriptionid": { $in: ids } };
    const told = await Promise.all([deleted, known].map(async (id) => billedIn(system, id)));
    await publishEvents(system.servers, told);
    await eventually(async () => (await invoices().countDocuments(mine)) === 2);
    await invoices().deleteOne(issuedFor(deleted));

    expect(await billings(ids)).toEqual({ found: 3, done: 1, skipped: 2, failed: 0 });
    await eventually(async () => (await invoices().countDocuments(mine)) === 3);
    expect(await invoices().distinct("issuedfor.subscriptionid", mine)).toHaveLength(3);
    expect(await billings([lost, deleted])).toMatchObject({ found: 2, done: 2 });
    expect(await billings(ids)).toMatchObject({ found: 0 });
    const again = new Set(ids.map((id) => `evt_${id}`));
    const resent = (await readEvents(system.servers)).filter(({ id }) => again.has(id));
    expect(resent.map(({ recordid }) => recordid).toSorted()).toEqual([lost, deleted].toSorted());
    expect(resent.map(({ recordid }) => recordid)).not.toContain(known);
  });

  it("brings a payment back to its invoice, once", async () => {
    const [id = ""] = await billedUnheard(system, 1);
    await publishEvents(system.servers, [await billedIn(system, id)]);
    const invoiceid = await eventually(async () => {
      const found = await invoices().findOne(issuedFor(id));
      return found !== null && String(found._id);
    });
    const transactionid = await paidUnheard(system, invoiceid, 4);
    const transactions = system.database("payment").collection("transactions");
    const payments = async () =>
      counted("payments-compared", async () => dueNow([transactionid], transactions));
    expect(await payments()).toMatchObject({ found: 1, skipped: 1 });
    await eventually(async () =>
      expect(await invoices().findOne(issuedFor(id))).toMatchObject({
        balance: 600,
        payments: [{ key: transactionid }],
      }),
    );
    expect(await payments()).toMatchObject({ found: 1, done: 1 });
    expect(await payments()).toMatchObject({ found: 0 });
  });

  it("is not told again for ever: who is on duty hears of it, and it is set aside", async () => {
    const [id = ""] = await billedUnheard(system, 1, { customerid: "0".repeat(24) });
    const metrics = async () => {
      const workers = [system.gateway().services["subscription"], ...others];
      const pages = workers.map(async (one) => (await fetch(`${one?.healthUrl}/metrics`)).text());
      return (await Promise.all(pages)).join("\n");
    };
    expect(await billings([id])).toMatchObject({ found: 1, skipped: 1, failed: 0 });
    expect(await metrics()).not.toMatch(/outcome="missing".*} [1-9]/);
    expect(await billings([id])).toMatchObject({ found: 1, skipped: 0, failed: 1 });
    expect(await metrics()).toMatch(/compared_total\{wanted="invoice",outcome="missing".*} 1/);
    await subscriptions().updateOne({ _id: new ObjectId(id) }, { $set: { "compare.resent": 7 } });
    expect(await billings([id])).toMatchObject({ found: 1, failed: 1 });
    const { body } = await operator("GET", "/operator/parked/subscription");
    const reason = expect.stringContaining("invoice is missing") as string;
    expect(body["data"]).toMatchObject([{ _id: id, tries: 8, reason }]);
    // Scrapes share what one of them found for a few seconds.
    await eventually(async () => {
      expect(await metrics()).toMatch(/malipo_parked\{.*compare.*} 1/);
    }, patienceMs);
    const retry = async () => {
      const retried = await operator("POST", "/operator/parked/retry/subscription", { id });
      expect(dataOf(retried)).toEqual({ retried: 1 });
    };
    expect(await counted("billings-compared", retry)).toMatchObject({ found: 1, skipped: 1 });
  });

  it("is compared to the end, though both who ask are killed half way", async () => {
    const lost = await billedUnheard(system, 300);
    const mine = { "issuedfor.subscriptionid": { $in: lost } };
    await dueNow(lost);
    const started = await operator("POST", "/operator/run/start", { job: "billings-compared" });
    await eventually(async () => (await invoices().countDocuments(mine)) > 0, patienceMs);
    const victims = [system.gateway().services["subscription"], ...others];
    for (const victim of victims) await victim?.kill();
    for (const victim of victims) await victim?.start();
    await eventually(async () => {
      expect(await run(idIn(started))).toMatchObject({ status: "done" });
      expect(await invoices().countDocuments(mine)).toBe(lost.length);
    }, patienceMs);
    expect(await invoices().distinct("issuedfor.subscriptionid", mine)).toHaveLength(lost.length);
    expect(await billings(lost)).toMatchObject({ skipped: 0, failed: 0 });
    const ids = lost.map((id) => new ObjectId(id));
    const unsure = { _id: { $in: ids }, compare: { $ne: null } };
    expect(await subscriptions().countDocuments(unsure)).toBe(0);
  });
});
