import {
  consumeEvents,
  countParked,
  defineService,
  openBusinessViews,
  openCodes,
  openNumbering,
  parkedReconciliations,
  type Service,
  serveRoutes,
  sweepEvents,
} from "@malipo/platform";
import { type SubscriptionConfig, subscriptionConfig } from "./config.ts";
import { openCustomers } from "./store/customers.ts";
import type { Deps } from "./deps.ts";
import { eventHandlers, handlers } from "./handlers/index.ts";
import { openPlans } from "./store/plans.ts";
import {
  openSubscriptions,
  parkedSubscriptions,
  subscriptionNumbers,
} from "./store/subscriptions.ts";

export const subscriptionService = defineService({
  name: "subscription",
  config: subscriptionConfig,
  start: async (service, config) => {
    const deps = await openDeps(service, config);
    sweepEvents(service, deps.collections);
    countParked(service, deps.parked);
    await serveRoutes(service, handlers, deps);
    consumeEvents(service, eventHandlers, deps);
  },
});

export async function openDeps(
  service: Service,
  { PUBLIC_URL, PROMPT_HOURS }: SubscriptionConfig,
): Promise<Deps> {
  const [subscriptions, plans] = await Promise.all([
    openSubscriptions(service),
    openPlans(service),
  ]);
  return {
    service,
    publicUrl: PUBLIC_URL,
    hours: PROMPT_HOURS,
    businesses: openBusinessViews(service),
    customers: openCustomers(service),
    numbering: openNumbering(service, subscriptionNumbers.prefix),
    codes: openCodes(service),
    subscriptions,
    plans,
    collections: [subscriptions.collection, plans.collection],
    parked: [parkedSubscriptions(subscriptions), parkedReconciliations(subscriptions.collection)],
  };
}
