import {
  consumeEvents,
  createCipher,
  defineService,
  type Service,
  serveRoutes,
  sweepEvents,
} from "@malipo/platform";
import { gatewayConfig } from "./config.ts";
import { evictOnSignal } from "./credentials/evict-principals.ts";
import { cachePrincipals, readPrincipals } from "./credentials/principals.ts";
import type { Deps } from "./deps.ts";
import { eventHandlers, handlers } from "./handlers/index.ts";
import { buildOperatorApp } from "./http/operator-app.ts";
import { buildPublicApp } from "./http/public-app.ts";
import { storeLastUses } from "./jobs/store-last-uses.ts";
import { createGatewayMetrics, type GatewayMetrics } from "./metrics.ts";
import { createCredentialLimiter } from "./limiters/credential-limiter.ts";
import { openAuditLog } from "./store/audit.ts";
import { openBusinesses } from "./store/businesses.ts";
import { openCredentials } from "./store/credentials.ts";
import { openIdempotencyKeys } from "./store/idempotency-keys.ts";
import { openOnboarding } from "./store/onboarding.ts";
import { openWindowStore, type WindowStore } from "./store/rate-limit-windows.ts";

export const gatewayService = defineService({
  name: "gateway",
  config: gatewayConfig,
  start: async (service, config) => {
    const [businesses, credentials, windowStore, idempotencyKeys] = await Promise.all([
      openBusinesses(service),
      openCredentials(service),
      openWindowStore(service),
      openIdempotencyKeys(service, createCipher(config.ENCRYPTION_KEY)),
    ]);
    const collections = [businesses.collection];
    sweepEvents(service, collections);
    const principals = cachePrincipals(readPrincipals(credentials, businesses), service.clock);
    const deps: Deps = {
      service,
      businesses,
      credentials,
      principalEviction: evictOnSignal(principals, service),
      onboarding: openOnboarding(service),
      mode: config.MODE,
      collections,
    };
    await serveRoutes(service, handlers, deps);
    consumeEvents(service, eventHandlers, deps);

    const metrics = createGatewayMetrics(service);
    const publicApp = buildPublicApp(service, config, {
      principals,
      lastUses: storeLastUses(credentials, service),
      limiter: openLimiter(service, windowStore, metrics),
      idempotencyKeys,
      metrics,
    });
    const operatorApp = buildOperatorApp(service, config, openAuditLog(service));
    service.shutdown.on("intake", () => publicApp.close());
    service.shutdown.on("intake", () => operatorApp.close());
    await publicApp.listen({ host: config.HOST, port: config.PORT });
    await operatorApp.listen({ host: config.OPERATOR_HOST, port: config.OPERATOR_PORT });
  },
});

function openLimiter(service: Service, windowStore: WindowStore, { limits }: GatewayMetrics) {
  return createCredentialLimiter({
    windowStore,
    clock: service.clock,
    onStoreAway: (credentialid, error) => {
      limits.allowance += 1;
      service.log.warn({ credentialid, err: error }, "rate limits on a local allowance");
    },
  });
}
