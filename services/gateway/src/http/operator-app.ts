import type { Service } from "@malipo/platform";
import type { FastifyInstance } from "fastify";
import { createShare } from "../admission/share.ts";
import { createAddressLimiter } from "../rate-limits/address-limiter.ts";
import type { AuditLog } from "../store/audit.ts";
import { buildApp } from "./app.ts";
import { takePlace } from "./pipeline/admit.ts";
import { createAudit } from "./pipeline/audit.ts";
import { authenticateOperator } from "./pipeline/authenticate-operator.ts";

const requestsMax = 1_000;
/** Refused credentials of one address that are audited. More would flood the audit log. */
const refusalsPerMinute = 300;

/** The operator API: its own port, one token, and an audit log of all calls. */
export function buildOperatorApp(
  service: Service,
  operatorToken: string,
  auditLog: AuditLog,
): FastifyInstance {
  const audit = createAudit(auditLog, service);
  const refusalsByAddress = createAddressLimiter(service.clock, refusalsPerMinute);
  const share = createShare({ max: requestsMax });
  return buildApp(service, "operator", {
    beforeBody: [
      takePlace(share, service),
      authenticateOperator(operatorToken, audit, refusalsByAddress),
    ],
    afterBody: [audit.recordCall],
    beforeAnswer: [],
    beforeAnyAnswer: [],
  });
}
