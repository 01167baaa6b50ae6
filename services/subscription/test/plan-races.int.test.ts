import { calls } from "@malipo/contracts";
import { cents, ok } from "@malipo/core";
import { newId, type RouteHandler, serveRoutes, VersionConflict } from "@malipo/platform";
import { createStreams, settableClock, startStoreProxy, useSharedServers } from "@malipo/testing";
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Deps } from "../src/deps.ts";
import { buildPlan } from "../src/domain/plan.ts";
import { handlers } from "../src/handlers/index.ts";
import {
  addSubscription,
  businessEvent,
  connectAs,
  openSubscriptionService,
  requestFor,
} from "./test-service.ts";

const servers = useSharedServers();
const { now: clock } = settableClock(new Date("2026-11-02T08:00:00Z"));
const proxy = await startStoreProxy(servers.mongodbUri);
/** Two workers: a test interrupts the writes of `own`, and lets those of `other` win. */
let own: Deps;
let other: Deps;

beforeAll(async () => {
  await createStreams(servers);
  own = await openSubscriptionService({ ...servers, mongodbUri: proxy.mongodbUri }, clock);
  other = await openSubscriptionService(servers, clock);
});
afterEach(() => proxy.forget());
afterAll(async () => {
  await Promise.all(
    [own, other].map(async (deps) => deps.service.shutdown.begin("tests are over")),
  );
  await proxy.close();
});

const before = { side: "before", pattern: { collection: "plans" } } as const;

async function addPlan() {
  const items = [{ itemid: newId(), title: "Internet", quantity: 1, rate: cents(1_000) }];
  const draft = { title: "Home", billingcycle: "monthly", trialdays: 0, items } as const;
  return other.plans.insert(buildPlan(newId(), newId(), draft, clock()), [], { now: clock() });
}

type Plan = Awaited<ReturnType<typeof addPlan>>;

const rename = async (deps: Deps, plan: Plan, title: string) =>
  handlers.updatePlan(deps)({ ...requestFor(plan, clock()), body: { title } });
const remove = async (deps: Deps, plan: Plan) =>
  handlers.deletePlan(deps)(requestFor(plan, clock()));

it("a plan that is deleted while it is changed stays deleted", async () => {
  const plan = await addPlan();
  const won = proxy.interrupt(before, async () => remove(other, plan));
  await expect(rename(own, plan, "Office")).rejects.toThrow(VersionConflict);
  await won;
  expect(await rename(own, plan, "Office")).toMatchObject({ error: { code: "not_found" } });
});

it("a plan that is changed while it is deleted keeps the change, and is deleted again", async () => {
  const plan = await addPlan();
  const won = proxy.interrupt(before, async () => rename(other, plan, "Office"));
  await expect(remove(own, plan)).rejects.toThrow(VersionConflict);
  await won;
  expect((await other.plans.find(plan.businessid, plan.id))?.entity.title).toBe("Office");
  expect(await remove(own, plan)).toMatchObject({ ok: true });
  expect(await other.plans.find(plan.businessid, plan.id)).toBeNull();
});

it("a plan that a subscription begins to use while it is deleted stays readable", async () => {
  const plan = await addPlan();
  const won = proxy.interrupt(before, async () =>
    addSubscription(other, plan.businessid, { planid: plan.id }),
  );
  expect(await remove(own, plan)).toMatchObject({ ok: true });
  await won;
  const found = await other.plans.find(plan.businessid, plan.id);
  expect(found?.entity.status).toBe("retired");
});

it("a plan that is deleted while a subscription of it is created stays readable", async () => {
  const plan = await addPlan();
  const { businessid } = plan;
  await own.businesses.apply([businessEvent(businessid, "business.created", 1, clock())]);
  const customerid = newId();
  const at = clock().toISOString();
  const customer = { _id: customerid, name: "Asha", email: null, phone: null };
  const describeOrder = (): RouteHandler<typeof calls.describeOrder> => async () =>
    ok({ data: { customer: { ...customer, createdat: at, updatedat: at }, products: [] } });
  const invoice = await connectAs("invoice", servers, clock);
  onTestFinished(() => invoice.shutdown.begin("the test is over"));
  await serveRoutes(invoice, { describeOrder }, undefined, { describeOrder: calls.describeOrder });
  const won = proxy.interrupt(
    { side: "before", pattern: { collection: "subscriptions", command: "insert" } },
    async () => remove(other, plan),
  );
  const body = { customerid, planid: plan.id, autorenew: true } as never;
  const created = await handlers.createSubscription(own)({ ...requestFor(plan, clock()), body });
  expect(created).toMatchObject({ ok: true });
  await won;
  const found = await other.plans.find(businessid, plan.id);
  expect(found?.entity.status).toBe("retired");
});
