import { consumeEvents, defineService, serveRoutes, sweepEvents } from "@malipo/platform";
import { openBusinesses } from "./store/businesses.ts";
import { gatewayConfig } from "./config.ts";
import { openCredentials } from "./store/credentials.ts";
import type { Deps } from "./deps.ts";
import { evictOnSignal } from "./credentials/evict-principals.ts";
import { eventHandlers, handlers } from "./handlers/index.ts";
import { openOnboarding } from "./store/onboarding.ts";
import { buildOperatorApp } from "./http/operator-app.ts";
import { cachePrincipals, readPrincipals } from "./credentials/principals.ts";
import { buildPublicApp } from "./http/public-app.ts";
import { trackUsage } from "./credentials/last-uses.ts";

export const gatewayService = defineService({
  name: "gateway",
  config: gatewayConfig,
  start: async (service, config) => {
    const [businesses, credentials] = await Promise.all([
      openBusinesses(service),
      openCredentials(service),
    ]);
    const principals = cachePrincipals(readPrincipals(credentials, businesses), service.clock);
    const collections = [businesses.collection];
    sweepEvents(service, collections);
    const deps: Deps = {
      service,
      businesses,
      credentials,
      evictions: evictOnSignal(principals, service),
      onboarding: openOnboarding(service),
      mode: config.MODE,
      collections,
    };
    await serveRoutes(service, handlers, deps);
    consumeEvents(service, eventHandlers, deps);

    const usage = trackUsage(credentials, service);
    const publicApp = await buildPublicApp(service, config, principals, usage);
    const operatorApp = buildOperatorApp(service, config);
    service.shutdown.on("intake", () => publicApp.close());
    service.shutdown.on("intake", () => operatorApp.close());
    await publicApp.listen({ host: config.HOST, port: config.PORT });
    await operatorApp.listen({ host: config.OPERATOR_HOST, port: config.OPERATOR_PORT });
  },
});
