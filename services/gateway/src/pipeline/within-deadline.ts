import { type Clock, fault } from "@malipo/core";
import { inTime, TookTooLong } from "../in-time.ts";
import type { Step } from "./pipeline.ts";
import { refuse } from "./problem.ts";

/** A step that looks into the store may have to wait for it, but no longer than the caller does. */
export function withinDeadline(step: Step, clock: Clock): Step {
  return async (request, reply) => {
    try {
      return await inTime(step(request, reply), request.deadline.getTime() - clock().getTime());
    } catch (error) {
      if (!(error instanceof TookTooLong)) throw error;
      return refuse(request, reply, fault("service_unavailable"));
    }
  };
}
