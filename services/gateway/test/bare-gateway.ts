/**
 * A gateway without pipeline steps, as the baseline of a benchmark. Every request comes from the
 * business whose id is the first argument.
 */
import type { AddressInfo } from "node:net";
import { defineService, runService } from "@malipo/platform";
import { gatewayConfig } from "../src/config.ts";
import type { Principal } from "../src/domain/principal.ts";
import { buildApp } from "../src/http/app.ts";

const [businessid = ""] = process.argv.slice(2);
const principal: Principal = {
  credentialid: businessid,
  businessid,
  plan: "enterprise",
  limits: null,
  suspended: false,
  expiresat: null,
};

const bareGateway = defineService({
  name: "gateway",
  config: gatewayConfig,
  start: async (service, config) => {
    const app = buildApp(service, "public", {
      beforeBody: [
        (request) => {
          request.principal = principal;
          return undefined;
        },
      ],
      afterBody: [],
      beforeAnswer: [],
      beforeAnyAnswer: [],
    });
    service.shutdown.on("intake", () => app.close());
    await app.listen({ host: config.HOST, port: config.PORT });
    const { port } = app.server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ ready: true, port })}\n`);
  },
});

await runService(process, bareGateway, { clock: () => new Date(), random: Math.random });
