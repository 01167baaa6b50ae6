import type { UsedSystem } from "@malipo/testing";
import { linesOf, type Order } from "./catalogue-records.ts";
import { copy, created, pageSize, type Paths, wide } from "./copies.ts";

const historyMax = 60;
const previewedMax = 200;

export async function createSubscriptions(system: UsedSystem, order: Order): Promise<Paths> {
  const { customerid, itemid } = order;
  const create = async (noun: string, body: object) =>
    String((await created(system.api("POST", `/business/${noun}/create`, body)))["_id"]);
  const plan = await create("subscription-plan", {
    title: wide(200),
    items: linesOf(order, { title: wide(200) }),
    trialdays: 365,
  });
  const subscription = await create("subscription", {
    customerid,
    planid: plan,
    remark: wide(2_000),
    enddate: "2099-01-01",
  });
  // Nothing is owed for it, so it is billed as long as the preview lasts.
  const free = await create("subscription", {
    customerid,
    items: [{ itemid, quantity: 1, rate: 0 }],
    billingcycle: "weekly",
    autorenew: true,
  });
  await copy(system, ["subscription", "plans"], plan);
  await copy(system, ["subscription", "subscriptions"], subscription, {
    change: {
      parked: { reason: wide(5_000), at: new Date() },
      history: Array.from({ length: historyMax }, () => historyEntry),
    },
    fieldsOf,
  });
  await copy(system, ["subscription", "subscriptions"], free, { fieldsOf, count: previewedMax });
  return {
    listPlans: `/business/subscription-plan/list?limit=${pageSize}`,
    getPlan: `/business/subscription-plan/details/${plan}`,
    listSubscriptions: `/business/subscription/list?limit=${pageSize}`,
    getSubscription: `/business/subscription/details/${subscription}`,
    explainSubscription: `/operator/billing/explain/${subscription}`,
    previewBilling: "/operator/billing/preview?at=9999-01-01T00:00:00.000Z",
    listParkedSubscriptions: "/operator/parked/subscription",
  };
}

function fieldsOf(index: number) {
  return { subscriptionno: `copy-${index}` };
}

const historyEntry = {
  what: "not-prompted",
  invoice: "cycle:2026-11-03T08:15:30.000Z",
  why: wide(300),
  asof: new Date(),
  at: new Date(),
};
