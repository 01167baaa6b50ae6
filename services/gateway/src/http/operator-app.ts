import { fault, isHostAmong, loopbackNames } from "@malipo/core";
import { createShare, type Service } from "@malipo/platform";
import type { FastifyInstance } from "fastify";
import type { GatewayConfig } from "../config.ts";
import { createAddressLimiter } from "../limiters/address-limiter.ts";
import type { AuditLog } from "../store/audit.ts";
import { buildApp } from "./app.ts";
import { takePlace } from "./pipeline/admit.ts";
import { createAudit } from "./pipeline/audit.ts";
import { authenticateOperator } from "./pipeline/authenticate-operator.ts";
import type { Step } from "./pipeline/pipeline.ts";
import { refuse } from "./responses/refuse.ts";

const requestsMax = 1_000;
/** Refused credentials of one address that are audited. More would flood the audit log. */
const refusalsPerMinute = 300;

const unknownHost = fault("unknown_host", {
  text: "Unknown host name. Add it to OPERATOR_HOSTS.",
});

/** Keeps out web pages whose name was rebound to the address of this server. */
function refuseUnknownHost(names: readonly string[]): Step {
  return (request, reply) =>
    isHostAmong(request.headers.host, names) ? undefined : refuse(request, reply, unknownHost);
}

/** The operator API: its own port, one token, and an audit log of all calls. */
export function buildOperatorApp(
  service: Service,
  { OPERATOR_TOKEN, OPERATOR_HOSTS }: GatewayConfig,
  auditLog: AuditLog,
): FastifyInstance {
  const audit = createAudit(auditLog, service);
  const refusalsByAddress = createAddressLimiter(service.clock, refusalsPerMinute);
  const share = createShare({ max: requestsMax });
  return buildApp(service, "operator", {
    beforeBody: [
      takePlace(share, service),
      refuseUnknownHost([...loopbackNames, ...OPERATOR_HOSTS]),
      authenticateOperator(OPERATOR_TOKEN, audit, refusalsByAddress),
    ],
    afterBody: [audit.recordCall],
    beforeAnswer: [],
    beforeAnyAnswer: [],
  });
}
