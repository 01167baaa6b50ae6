import { buildOpenApiDocument } from "@malipo/contract-tools";
import { allRoutes } from "@malipo/contracts";
import { createShare, type Service } from "@malipo/platform";
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
import { takePlace } from "./pipeline/admit.ts";
import { authenticateBusiness, refuseSuspended } from "./pipeline/authenticate.ts";
import { claimKey, recordAnswer } from "./pipeline/idempotency.ts";
import { describeAddressLimit, limitAddress, limitRate } from "./pipeline/rate-limit.ts";
import { runSteps } from "./pipeline/run-steps.ts";
import { demandHttps } from "./responses/demand-https.ts";
import { jsonHeaders } from "./responses/json-headers.ts";

/** Wrong secrets, or codes of no page, that one address may send. */
const failuresPerMinute = 60;
/** Requests for pages by one address. A whole town may share it. */
const visitsPerMinute = 1_200;

/** Requests for the API reference in progress. */
const readersMax = 200;
/** Requests for it by one address. It is large, and the kernel keeps what is not read. */
const readsPerMinute = 120;

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

  const addresses = createShare({ max: config.REQUESTS_MAX });
  const credentials = createShare({ max: config.REQUESTS_MAX });
  const edge = {
    trustedProxies: config.TRUSTED_PROXIES,
    connectionsPerAddressMax: config.CONNECTIONS_PER_ADDRESS_MAX,
  };
  const app = buildApp(
    service,
    "public",
    {
      beforeBody: [
        takePlace(addresses, service),
        authenticateBusiness(principals, wrongSecretsByAddress, lastUses, config.MODE),
        takePlace(credentials, service, ({ principal }) => principal?.credentialid ?? ""),
        limitRate(limiter, metrics.limits),
        refuseSuspended,
      ],
      afterBody: [claimKey(idempotencyKeys, service, metrics.idempotencyKeys)],
      beforeAnswer: [recordAnswer(idempotencyKeys, service.log)],
      beforeAnyAnswer: [
        describeAddressLimit(wrongSecretsByAddress),
        ...(config.MODE === "live" ? [demandHttps] : []),
      ],
    },
    edge,
  );

  servePages(app, service, {
    visits: createAddressLimiter(clock, visitsPerMinute),
    unknownCodes: createAddressLimiter(clock, failuresPerMinute),
  });
  acceptStkCallbacks(app, service, config.CALLBACK_KEY);

  serveReference(app, service, config.PUBLIC_URL);
  // A probe takes no place: no other request may make it fail.
  app.get("/readyz", async (_request, reply) =>
    service.isReady() ? reply.send("ready\n") : reply.code(503).send("not ready\n"),
  );
  return app;
}

/** The API reference. Its bytes are shared by all answers, so that slow readers cost little. */
function serveReference(app: FastifyInstance, service: Service, publicUrl: string): void {
  const { clock } = service;
  const document = buildOpenApiDocument(allRoutes, publicUrl);
  const documentBytes = Buffer.from(JSON.stringify(document));
  const admitReader = runSteps(
    [
      takePlace(createShare({ max: readersMax }), service),
      limitAddress(createAddressLimiter(clock, readsPerMinute)),
    ],
    clock,
  );
  void app.register(async (scope) => {
    scope.addHook("onRequest", admitReader);
    scope.get("/openapi.json", async (_request, reply) =>
      reply.headers(jsonHeaders).send(documentBytes),
    );
    serveDocs(scope, document);
  });
}
