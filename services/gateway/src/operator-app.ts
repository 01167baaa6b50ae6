import type { Service } from "@malipo/platform";
import type { FastifyInstance } from "fastify";
import { buildApp } from "./app.ts";
import type { GatewayConfig } from "./config.ts";
import { auditCall } from "./pipeline/audit.ts";
import { authenticateOperator } from "./pipeline/authenticate-operator.ts";

/** What operators call: on a port of its own, with one token, and every call written down. */
export function buildOperatorApp(service: Service, config: GatewayConfig): FastifyInstance {
  return buildApp(service, "operator", [], {
    beforeBody: [authenticateOperator(config.OPERATOR_TOKEN)],
    afterBody: [auditCall(service)],
    beforeAnswer: [],
    beforeAnyAnswer: [],
  });
}
