import type { Service } from "@malipo/platform";
import type { FastifyInstance } from "fastify";
import { buildApp } from "./app.ts";
import type { GatewayConfig } from "../config.ts";
import { openAudit } from "./pipeline/audit.ts";
import { authenticateOperator } from "./pipeline/authenticate-operator.ts";
import { createAddressLimiter } from "../rate-limits/address-limiter.ts";

/** So many are written down, and no audit is flooded by more. */
const refusalsAMinute = 300;

/** What operators call: on a port of its own, with one token, and every call written down. */
export function buildOperatorApp(service: Service, config: GatewayConfig): FastifyInstance {
  const audit = openAudit(service);
  const addresses = createAddressLimiter(() => service.clock().getTime(), refusalsAMinute);
  return buildApp(service, "operator", [], {
    beforeBody: [authenticateOperator(config.OPERATOR_TOKEN, audit, addresses)],
    afterBody: [audit.call],
    beforeAnswer: [],
    beforeAnyAnswer: [],
  });
}
