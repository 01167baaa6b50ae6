import { allRoutes, openApiDocument } from "@malipo/contracts";
import { consumeEvents, runService, serveRoutes } from "@malipo/platform";
import { buildApp } from "./app.ts";
import { openBusinesses } from "./businesses.ts";
import { gatewayConfig } from "./config.ts";
import { openCredentials } from "./credentials.ts";
import type { Deps } from "./deps.ts";
import { authenticateOperator } from "./pipeline/authenticate-operator.ts";
import { admit, authenticateBusiness } from "./pipeline/authenticate.ts";
import { describeAddress, limitRate } from "./pipeline/rate-limit.ts";
import { createAddressLimiter } from "./rate-limit/addresses.ts";
import { openLedgers } from "./rate-limit/ledgers.ts";
import { createLimiter } from "./rate-limit/limiter.ts";
import { cachePrincipals, readPrincipals } from "./principals.ts";

await runService(
  process,
  "gateway",
  gatewayConfig,
  () => new Date(),
  async (service, config) => {
    const businesses = openBusinesses(service);
    const credentials = await openCredentials(service);
    const principals = cachePrincipals(readPrincipals(credentials, businesses));

    const handlers = new URL("./handlers/", import.meta.url);
    const deps: Deps = { businesses, credentials, mode: config.MODE };
    await serveRoutes(service, handlers, deps);
    await consumeEvents(service, handlers, deps);

    const nowMs = () => service.clock().getTime();
    const addresses = createAddressLimiter(nowMs);
    const limiter = createLimiter({
      ledgers: await openLedgers(service),
      nowMs,
      onStoreAway: (credentialid, error) =>
        service.log.warn({ credentialid, err: error }, "limits on a local allowance"),
    });
    const publicApp = buildApp(service, "public", config.TRUSTED_PROXIES, {
      everywhere: [describeAddress(addresses)],
      beforeBody: [
        authenticateBusiness(principals, addresses, config.MODE),
        limitRate(limiter),
        admit,
      ],
      afterBody: [],
    });
    const reference = JSON.stringify(openApiDocument(allRoutes, config.PUBLIC_URL));
    publicApp.get("/openapi.json", async (_request, reply) =>
      reply.type("application/json").send(reference),
    );
    publicApp.get("/readyz", async (_request, reply) =>
      service.isReady() ? reply.send("ready\n") : reply.code(503).send("not ready\n"),
    );
    const operatorApp = buildApp(service, "operator", [], {
      everywhere: [],
      beforeBody: [authenticateOperator(config.OPERATOR_TOKEN)],
      afterBody: [],
    });
    service.shutdown.on("intake", () => publicApp.close());
    service.shutdown.on("intake", () => operatorApp.close());
    await publicApp.listen({ host: config.HOST, port: config.PORT });
    await operatorApp.listen({ host: config.OPERATOR_HOST, port: config.OPERATOR_PORT });
  },
);
