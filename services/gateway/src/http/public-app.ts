import { buildOpenApiDocument } from "@malipo/contract-tools";
import { allRoutes } from "@malipo/contracts";
import type { Service } from "@malipo/platform";
import type { FastifyInstance } from "fastify";
import type { GatewayConfig } from "../config.ts";
import type { CachedPrincipals } from "../credentials/principals.ts";
import { serveDocs } from "../docs/serve-docs.ts";
import type { LastUses } from "../jobs/store-last-uses.ts";
import type { GatewayMetrics } from "../metrics.ts";
import { createAddressLimiter } from "../limiters/address-limiter.ts";
import type { CredentialLimiter } from "../limiters/credential-limiter.ts";
import type { IdempotencyKeys } from "../store/idempotency-keys.ts";
import { buildApp } from "./app.ts";
import { acceptStkCallbacks } from "./callbacks/stk.ts";
import { servePages } from "./pages/serve-pages.ts";
import { authenticateBusiness, refuseSuspended } from "./pipeline/authenticate.ts";
import { claimKey, recordAnswer } from "./pipeline/idempotency.ts";
import { describeAddressLimit, limitRate } from "./pipeline/rate-limit.ts";

/** Wrong secrets, or codes of no page, that one address may send. */
const failuresPerMinute = 60;
/** Requests for pages by one address. A whole town may share it. */
const visitsPerMinute = 1_200;

export interface PublicAppDeps {
  readonly principals: CachedPrincipals;
  readonly lastUses: LastUses;
  readonly limiter: CredentialLimiter;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly metrics: GatewayMetrics;
}

/** The public port: the API of businesses, pages, callbacks of M-Pesa, and the API reference. */
export function buildPublicApp(
  service: Service,
  config: GatewayConfig,
  { principals, lastUses, limiter, idempotencyKeys, metrics }: PublicAppDeps,
): FastifyInstance {
  const { clock } = service;
  const wrongSecretsByAddress = createAddressLimiter(clock, failuresPerMinute);

  const app = buildApp(service, "public", config.TRUSTED_PROXIES, {
    beforeBody: [
      authenticateBusiness(principals, wrongSecretsByAddress, lastUses, config.MODE),
      limitRate(limiter, metrics.limits),
      refuseSuspended,
    ],
    afterBody: [claimKey(idempotencyKeys, service, metrics.idempotencyKeys)],
    beforeAnswer: [recordAnswer(idempotencyKeys, service.log)],
    beforeAnyAnswer: [describeAddressLimit(wrongSecretsByAddress)],
  });

  servePages(app, service, {
    visits: createAddressLimiter(clock, visitsPerMinute),
    unknownCodes: createAddressLimiter(clock, failuresPerMinute),
  });
  acceptStkCallbacks(app, service, config.CALLBACK_KEY);

  const document = buildOpenApiDocument(allRoutes, config.PUBLIC_URL);
  const documentText = JSON.stringify(document);
  app.get("/openapi.json", async (_request, reply) =>
    reply.type("application/json").send(documentText),
  );
  serveDocs(app, document);
  app.get("/readyz", async (_request, reply) =>
    service.isReady() ? reply.send("ready\n") : reply.code(503).send("not ready\n"),
  );
  return app;
}
