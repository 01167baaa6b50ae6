import { buildOpenApiDocument } from "@malipo/contract-tools";
import { allRoutes } from "@malipo/contracts";
import { createCipher, type Service } from "@malipo/platform";
import type { FastifyInstance } from "fastify";
import { buildApp } from "./app.ts";
import { takeStkCallbacks } from "./callbacks/stk.ts";
import type { GatewayConfig } from "../config.ts";
import { serveDocs } from "../docs/serve-docs.ts";
import { createGatewayMetrics } from "../metrics.ts";
import { openIdempotencyKeys } from "../store/idempotency-keys.ts";
import { servePages } from "./pages/serve-pages.ts";
import { admit, authenticateBusiness } from "./pipeline/authenticate.ts";
import { claimKey, settleKey } from "./pipeline/idempotency.ts";
import { describeAddress, limitRate } from "./pipeline/rate-limit.ts";
import type { CachedPrincipals } from "../credentials/principals.ts";
import { createAddressLimiter } from "../rate-limits/address-limiter.ts";
import { openLedgers } from "../store/rate-limit-windows.ts";
import { createLimiter } from "../rate-limits/credential-limiter.ts";
import type { Usage } from "../credentials/last-uses.ts";

/** Wrong secrets, or codes of no page, that an address may send. */
const failuresAMinute = 60;
/** A whole town may be behind one address. */
const visitsAMinute = 1_200;

/** What businesses call, and everything that must be true of a call before it is forwarded. */
export async function buildPublicApp(
  service: Service,
  config: GatewayConfig,
  principals: CachedPrincipals,
  usage: Usage,
): Promise<FastifyInstance> {
  const nowMs = () => service.clock().getTime();
  const metrics = createGatewayMetrics(service);
  const addresses = createAddressLimiter(nowMs, failuresAMinute);
  const limiter = createLimiter({
    ledgers: await openLedgers(service),
    nowMs,
    onStoreAway: (credentialid, error) => {
      metrics.limits.allowance += 1;
      service.log.warn({ credentialid, err: error }, "limits on a local allowance");
    },
  });
  const keys = await openIdempotencyKeys(service, createCipher(config.ENCRYPTION_KEY));

  const app = buildApp(service, "public", config.TRUSTED_PROXIES, {
    beforeBody: [
      authenticateBusiness(principals, addresses, usage, config.MODE),
      limitRate(limiter, metrics.limits),
      admit,
    ],
    afterBody: [claimKey(keys, service, metrics.keys)],
    beforeAnswer: [settleKey(keys, service.log)],
    beforeAnyAnswer: [describeAddress(addresses)],
  });

  servePages(app, service, {
    visits: createAddressLimiter(nowMs, visitsAMinute),
    unknown: createAddressLimiter(nowMs, failuresAMinute),
  });

  takeStkCallbacks(app, service, config.CALLBACK_KEY);
  const document = buildOpenApiDocument(allRoutes, config.PUBLIC_URL);
  const reference = JSON.stringify(document);
  app.get("/openapi.json", async (_request, reply) =>
    reply.type("application/json").send(reference),
  );
  serveDocs(app, document);
  app.get("/readyz", async (_request, reply) =>
    service.isReady() ? reply.send("ready\n") : reply.code(503).send("not ready\n"),
  );
  return app;
}
