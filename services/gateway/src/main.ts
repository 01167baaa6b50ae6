import { consumeEvents, runService, serveRoutes } from "@malipo/platform";
import { buildApp } from "./app.ts";
import { openBusinesses } from "./businesses.ts";
import { gatewayConfig } from "./config.ts";
import { openCredentials } from "./credentials.ts";
import type { Deps } from "./deps.ts";
import { authenticateOperator } from "./pipeline/authenticate-operator.ts";
import { cachePrincipals, readPrincipals } from "./principals.ts";
import { buildPublicApp } from "./public-app.ts";

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

    const publicApp = await buildPublicApp(service, config, principals);
    const operatorApp = buildApp(service, "operator", [], {
      everywhere: [],
      beforeBody: [authenticateOperator(config.OPERATOR_TOKEN)],
      afterBody: [],
      beforeAnswer: [],
    });
    service.shutdown.on("intake", () => publicApp.close());
    service.shutdown.on("intake", () => operatorApp.close());
    await publicApp.listen({ host: config.HOST, port: config.PORT });
    await operatorApp.listen({ host: config.OPERATOR_HOST, port: config.OPERATOR_PORT });
  },
);
