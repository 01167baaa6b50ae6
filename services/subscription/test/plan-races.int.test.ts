import { newId, VersionConflict } from "@malipo/platform";
import { createStreams, settableClock, startStoreProxy, useSharedServers } from "@malipo/testing";
import { cents } from "@malipo/core";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { Deps } from "../src/deps.ts";
import { buildPlan } from "../src/domain/plan.ts";
import { handlers } from "../src/handlers/index.ts";
import { openSubscriptionService, requestFor } from "./test-service.ts";

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
