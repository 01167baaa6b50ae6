import { fault, type FaultCode } from "@malipo/core";
import { isStoreAway, type Service } from "@malipo/platform";
import type { FastifyRequest } from "fastify";
import type { Step } from "./pipeline.ts";
import { refuse } from "../responses/refuse.ts";

const bodyMax = 4_000;

/** What is asked of the operator API, and by whom it was asked in vain. */
export interface Audit {
  /** What an operator asks for is written down before it is done; what cannot be is not done. */
  readonly call: Step;
  /** Who is refused learns nothing of whether it could be written down. */
  refusal(request: FastifyRequest, code: FaultCode): Promise<void>;
}

export function openAudit({ store, log, clock }: Pick<Service, "store" | "log" | "clock">): Audit {
  const audit = store.db.collection("audit");

  return {
    call: async (request, reply) => {
      const call = callOf(request);
      const { body } = request;
      try {
        if (store.isAway()) {
          // What only looks, and looks at just such trouble, is not held up by it.
          if (request.routeOptions.config.route?.worksWithoutStore) return undefined;
          return refuse(request, reply, fault("service_unavailable"));
        }
        const text =
          body instanceof Uint8Array ? Buffer.from(body).toString().slice(0, bodyMax) : "";
        await audit.insertOne({ at: clock(), ...call, body: text });
        log.info({ audit: call }, "operator call");
        return undefined;
      } catch (error) {
        if (!isStoreAway(error)) throw error;
        return refuse(request, reply, fault("service_unavailable"));
      }
    },

    refusal: async (request, code) => {
      const refused = { ...callOf(request), refused: code };
      log.warn({ audit: refused }, "operator call refused");
      if (store.isAway()) return;
      await audit.insertOne({ at: clock(), ...refused }).catch((error: unknown) => {
        log.warn({ err: error, requestid: request.id }, "refusal not written down");
      });
    },
  };
}

function callOf({ id: requestid, method, url, ip: address }: FastifyRequest) {
  return { requestid, method, url, address };
}
