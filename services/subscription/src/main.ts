import {
  consumeEvents,
  countParked,
  openBusinessViews,
  openCodes,
  openNumbering,
  parkedComparisons,
  runService,
  serveRoutes,
  sweepEvents,
} from "@malipo/platform";
import { subscriptionConfig } from "./config.ts";
import { openCustomers } from "./customers.ts";
import type { Deps } from "./deps.ts";
import { openDescribeOrder } from "./describe-orders.ts";
import { openPlans } from "./plans.ts";
import { openSubscriptions, parkedSubscriptions, subscriptionNumbers } from "./subscriptions.ts";

await runService(
  process,
  "subscription",
  subscriptionConfig,
  () => new Date(),
  async (service, { PUBLIC_URL, PROMPT_HOURS }) => {
    const [subscriptions, plans] = await Promise.all([
      openSubscriptions(service),
      openPlans(service),
    ]);
    const collections = [subscriptions.collection, plans.collection];
    sweepEvents(service, collections);
    const parked = [
      parkedSubscriptions(subscriptions),
      parkedComparisons(subscriptions.collection),
    ];
    countParked(service, parked);
    const deps: Deps = {
      service,
      publicUrl: PUBLIC_URL,
      hours: PROMPT_HOURS,
      businesses: openBusinessViews(service),
      customers: openCustomers(service),
      describeOrder: openDescribeOrder(service),
      numbering: openNumbering(service, subscriptionNumbers.prefix),
      codes: openCodes(service),
      subscriptions,
      plans,
      collections,
      parked,
    };
    const handlers = new URL("./handlers/", import.meta.url);
    await serveRoutes(service, handlers, deps);
    await consumeEvents(service, handlers, deps);
  },
);
