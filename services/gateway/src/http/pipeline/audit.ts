import { fault, type FaultCode } from "@malipo/core";
import { isStoreAway, type Service } from "@malipo/platform";
import type { FastifyRequest } from "fastify";
import type { AuditLog, OperatorCall } from "../../store/audit.ts";
import { refuse } from "../responses/refuse.ts";
import type { Step } from "./pipeline.ts";

const bodyLengthMax = 4_000;

export interface Audit {
  /** Stores a call before it is executed. A call that cannot be stored is not executed. */
  readonly recordCall: Step;
  /** Stores a refused credential. The client does not learn whether that failed. */
  recordRefusal(request: FastifyRequest, code: FaultCode): Promise<void>;
}

export function createAudit(
  auditLog: AuditLog,
  { store, log }: Pick<Service, "store" | "log">,
): Audit {
  return {
    recordCall: async (request, reply) => {
      const call = callOf(request);
      try {
        if (store.isAway()) {
          // Reports of health are not audited then, because operators need them just now.
          if (request.routeOptions.config.route?.worksWithoutStore) return undefined;
          return refuse(request, reply, fault("service_unavailable"));
        }
        await auditLog.insert({ ...call, body: bodyTextOf(request) });
        log.info({ audit: call }, "operator call");
        return undefined;
      } catch (error) {
        if (!isStoreAway(error)) throw error;
        return refuse(request, reply, fault("service_unavailable"));
      }
    },

    recordRefusal: async (request, code) => {
      const refusedCall = { ...callOf(request), refused: code };
      log.warn({ audit: refusedCall }, "operator call refused");
      if (store.isAway()) return;
      await auditLog.insert(refusedCall).catch((error: unknown) => {
        log.warn({ err: error, requestid: request.id }, "refused operator call not audited");
      });
    },
  };
}

function callOf({ id: requestid, method, url, ip: address }: FastifyRequest): OperatorCall {
  return { requestid, method, url, address };
}

function bodyTextOf({ body }: FastifyRequest): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString().slice(0, bodyLengthMax) : "";
}
