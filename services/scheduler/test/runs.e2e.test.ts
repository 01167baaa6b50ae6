import type { ServiceName } from "@malipo/contracts";
import {
  dataOf,
  eventually,
  idIn,
  prepareService,
  readEvents,
  type ServiceProcess,
  useSystem,
} from "@malipo/testing";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { manyDue } from "./many-due.ts";

const system = useSystem(["invoice", "subscription"]);
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
