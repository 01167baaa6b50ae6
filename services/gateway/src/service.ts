import { consumeEvents, defineService, serveRoutes, sweepEvents } from "@malipo/platform";
import { openBusinesses } from "./businesses.ts";
import { gatewayConfig } from "./config.ts";
import { openCredentials } from "./credentials.ts";
import type { Deps } from "./deps.ts";
import { evictOnSignal } from "./evictions.ts";
import { eventHandlers, handlers } from "./handlers/index.ts";
import { openOnboarding } from "./onboarding.ts";
import { buildOperatorApp } from "./operator-app.ts";
import { cachePrincipals, readPrincipals } from "./principals.ts";
import { buildPublicApp } from "./public-app.ts";
import { trackUsage } from "./usage.ts";

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
