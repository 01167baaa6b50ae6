import type { ServiceName } from "@malipo/contracts";
import { runServices, type ServiceDefinition } from "@malipo/platform";

/** Runs services in one process. `SERVICES` holds the environment of each, by its name. */
const environments = JSON.parse(process.env["SERVICES"] ?? "{}") as Record<
  string,
  Record<string, string> | undefined
>;

/**
 * A service that does not run is not loaded: of a test with two services, that saves a sixth of the
 * start's CPU time. The gateway comes first, because the first service stops before the others.
 */
const loaders: Readonly<Record<ServiceName, () => Promise<ServiceDefinition>>> = {
  gateway: async () => (await import("@malipo/gateway/service")).gatewayService,
  invoice: async () => (await import("@malipo/invoice/service")).invoiceService,
  payment: async () => (await import("@malipo/payment/service")).paymentService,
  subscription: async () => (await import("@malipo/subscription/service")).subscriptionService,
  webhook: async () => (await import("@malipo/webhook/service")).webhookService,
  scheduler: async () => (await import("@malipo/scheduler/service")).schedulerService,
};
const definitions = await Promise.all(
  Object.entries(loaders)
    .filter(([name]) => environments[name] !== undefined)
    .map(async ([, load]) => load()),
);

await runServices(process, definitions, (service) => environments[service] ?? {}, {
  clock: () => new Date(),
  random: Math.random,
});
