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
import { billedEventOf, billedWithLostEvents, paidWithLostEvent } from "./lost-events.ts";
import { manyDue } from "./many-due.ts";

const system = useSystem(["invoice", "subscription", "payment"], { ownProcess: ["subscription"] });
const { operator } = system;
const processes: ServiceProcess[] = [];
const count = 1_000;
const timeoutMs = 50_000;

async function startProcess(name: ServiceName): Promise<ServiceProcess> {
  const { natsUrl, mongodbUri, namespace } = system.servers;
  const one = await prepareService(name, {
    NATS_URL: natsUrl,
    MONGODB_URI: mongodbUri,
    NAMESPACE: namespace,
    LOG_LEVEL: "warn",
  });
  processes.push(one);
  await one.start();
  return one;
}

beforeAll(async () => {
  await startProcess("scheduler");
});
afterAll(async () => {
  await Promise.all(processes.map(async (one) => one.stop()));
});

const run = async (id: string) => dataOf(await operator("GET", `/operator/run/details/${id}`));

const subscriptions = () => system.database("subscription").collection("subscriptions");
const invoices = () => system.database("invoice").collection("invoices");
const issuedFor = (id: string) => ({ "issuedfor.subscriptionid": id });

/** The sums over all runs of a job: a slot's run may come between those that a test starts. */
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

/** Starts a run of the job, and waits until none of its runs is active. */
async function runToEnd(job: string) {
  await operator("POST", "/operator/run/start", { job });
  await eventually(async () => {
    const { body } = await operator("GET", `/operator/run/list?job=${job}&limit=100`);
    const listed = body["data"] as { status: string }[];
    expect(listed.filter(({ status }) => /waiting|running/.test(status))).toEqual([]);
  }, timeoutMs);
}

/** The counts of a job's runs for the records that `prepare` makes due. */
async function counted(job: string, prepare: () => Promise<unknown>) {
  const before = await counts(job);
  await prepare();
  await runToEnd(job);
  const after = await counts(job);
  return {
    found: after.found - before.found,
    done: after.done - before.done,
    skipped: after.skipped - before.skipped,
    failed: after.failed - before.failed,
  };
}

/** Makes the reconciliation of these records due now. */
const makeReconciliationDue = (ids: readonly string[], of = subscriptions()) =>
  of.updateMany(
    { _id: { $in: ids.map((id) => new ObjectId(id)) }, compare: { $ne: null } },
    { $set: { "compare.at": new Date() } },
  );
const billings = async (ids: readonly string[]) =>
  counted("billings-compared", async () => makeReconciliationDue(ids));

describe("runs", () => {
  it("opens one run for each slot with two schedulers, and lists what it did", async () => {
    await startProcess("scheduler");
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
    `bills ${count} due subscriptions once each while workers and schedulers are killed`,
    async () => {
      const workers = await Promise.all([
        startProcess("subscription"),
        startProcess("subscription"),
      ]);
      const ids = new Set(await manyDue(system, count));
      const started = await operator("POST", "/operator/run/start", { job: "subscriptions-due" });
      expect(started.status).toBe(200);
      for (const victim of [workers[0], processes[0], workers[1]]) {
        await victim?.kill();
        await victim?.start();
      }
      await eventually(async () => {
        expect(await run(idIn(started))).toMatchObject({ status: "done" });
        const subscriptions = system.database("subscription").collection("subscriptions");
        expect(await subscriptions.countDocuments({ dueat: { $lte: new Date() } })).toBe(0);
      }, timeoutMs);
      await eventually(async () => {
        const invoices = system.database("invoice").collection("invoices");
        expect(
          await invoices.countDocuments({ "issuedfor.subscriptionid": { $in: [...ids] } }),
        ).toBe(count);
      }, timeoutMs);
      const billed = (await readEvents(system.servers)).filter(
        ({ type, recordid }) => type === "subscription.billed" && ids.has(recordid),
      );
      expect(new Set(billed.map(({ id }) => id)).size).toBe(count);
      const numbers = await system.database("invoice").collection("invoices").distinct("invoiceno");
      expect(numbers.length).toBe(
        await system.database("invoice").collection("invoices").countDocuments(),
      );
    },
    3 * timeoutMs,
  );

  it("parks a subscription that fails 8 times, and bills it after an operator retries it", async () => {
    const [id = ""] = await manyDue(system, 1);
    const subscriptions = system.database("subscription").collection("subscriptions");
    const broken = { $set: { tries: 7, billingcycle: "never" } };
    await subscriptions.updateOne({ _id: new ObjectId(id) }, broken);
    await operator("POST", "/operator/run/start", { job: "subscriptions-due" });
    const parked = await eventually(async () => {
      const { body } = await operator("GET", "/operator/parked/subscription");
      expect(body["data"]).toHaveLength(1);
      return body["data"];
    }, timeoutMs);
    expect(parked).toMatchObject([{ _id: id, tries: 8, reason: expect.stringMatching(/./) }]);
    const whole = { $set: { billingcycle: "monthly" } };
    await subscriptions.updateOne({ _id: new ObjectId(id) }, whole);
    const retried = await operator("POST", "/operator/parked/retry/subscription", { id });
    expect(dataOf(retried)).toEqual({ retried: 1 });
    await operator("POST", "/operator/run/start", { job: "subscriptions-due" });
    await eventually(async () => {
      const invoices = system.database("invoice").collection("invoices");
      expect(await invoices.countDocuments({ "issuedfor.subscriptionid": id })).toBe(1);
    }, timeoutMs);
  });
});

describe("a suspended business", () => {
  it("is not billed, and is billed at once when it is resumed", async () => {
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
    }, timeoutMs);
    expect((await read())?.["dueat"].getTime()).toBeGreaterThan(Date.now() + 50 * minuteMs);
    await operator("POST", `/operator/business/resume/${businessid}`);
    const invoices = system.database("invoice").collection("invoices");
    await eventually(async () => {
      await operator("POST", "/operator/run/start", { job: "subscriptions-due" });
      expect(await invoices.countDocuments({ "issuedfor.subscriptionid": id })).toBe(1);
    }, timeoutMs);
    expect(await read()).toMatchObject({ heldback: null, tries: 0 });
  });
});

describe("reconciliation", () => {
  it("publishes the lost event of a billed period once more, and none whose invoice exists", async () => {
    const ids = await billedWithLostEvents(system, 3);
    const [lost = "", deleted = "", known = ""] = ids;
    const mine = { "issuedfor.subscriptionid": { $in: ids } };
    const published = await Promise.all(
      [deleted, known].map(async (id) => billedEventOf(system, id)),
    );
    await publishEvents(system.servers, published);
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

  it("applies a completed payment whose event was lost to its invoice, once", async () => {
    const [id = ""] = await billedWithLostEvents(system, 1);
    await publishEvents(system.servers, [await billedEventOf(system, id)]);
    const invoiceid = await eventually(async () => {
      const found = await invoices().findOne(issuedFor(id));
      return found !== null && String(found._id);
    });
    const transactionid = await paidWithLostEvent(system, invoiceid, 4);
    const transactions = system.database("payment").collection("transactions");
    const payments = async () =>
      counted("payments-compared", async () =>
        makeReconciliationDue([transactionid], transactions),
      );
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

  it("counts a missing invoice, parks the subscription after 8 resends, and retries it for an operator", async () => {
    const [id = ""] = await billedWithLostEvents(system, 1, { customerid: "0".repeat(24) });
    const metrics = async () => {
      const workers = [system.gateway().services["subscription"], ...processes];
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
    }, timeoutMs);
    const retry = async () => {
      const retried = await operator("POST", "/operator/parked/retry/subscription", { id });
      expect(dataOf(retried)).toEqual({ retried: 1 });
    };
    expect(await counted("billings-compared", retry)).toMatchObject({ found: 1, skipped: 1 });
  });

  it("completes after the scheduler and the subscription service are killed in the middle", async () => {
    const lost = await billedWithLostEvents(system, 300);
    const mine = { "issuedfor.subscriptionid": { $in: lost } };
    await makeReconciliationDue(lost);
    const started = await operator("POST", "/operator/run/start", { job: "billings-compared" });
    await eventually(async () => (await invoices().countDocuments(mine)) > 0, timeoutMs);
    const victims = [system.gateway().services["subscription"], ...processes];
    for (const victim of victims) await victim?.kill();
    for (const victim of victims) await victim?.start();
    await eventually(async () => {
      expect(await run(idIn(started))).toMatchObject({ status: "done" });
      expect(await invoices().countDocuments(mine)).toBe(lost.length);
    }, timeoutMs);
    expect(await invoices().distinct("issuedfor.subscriptionid", mine)).toHaveLength(lost.length);
    expect(await billings(lost)).toMatchObject({ skipped: 0, failed: 0 });
    const ids = lost.map((id) => new ObjectId(id));
    const unreconciled = { _id: { $in: ids }, compare: { $ne: null } };
    expect(await subscriptions().countDocuments(unreconciled)).toBe(0);
  });
});
