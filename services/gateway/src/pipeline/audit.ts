import { fault } from "@malipo/core";
import { isStoreAway, type Service } from "@malipo/platform";
import type { Step } from "./pipeline.ts";
import { refuse } from "./problem.ts";

const bodyMax = 4_000;

/** What an operator asks for is written down before it is done; what cannot be is not done. */
export function auditCall({ store, log, clock }: Pick<Service, "store" | "log" | "clock">): Step {
  const audit = store.db.collection("audit");
  return async (request, reply) => {
    const { id: requestid, method, url, ip: address, body } = request;
    const call = { requestid, method, url, address };
    try {
      if (store.isAway()) return refuse(request, reply, fault("service_unavailable"));
      const text = body instanceof Uint8Array ? Buffer.from(body).toString().slice(0, bodyMax) : "";
      await audit.insertOne({ at: clock(), ...call, body: text });
      log.info({ audit: call }, "operator call");
      return undefined;
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      return refuse(request, reply, fault("service_unavailable"));
    }
  };
}
