import { type Clock, fault } from "@malipo/core";
import type { onRequestHookHandler } from "fastify";
import { inTime, TookTooLong } from "@malipo/platform";
import type { Outcome, Step } from "./pipeline.ts";
import { refuse } from "./problem.ts";

type Taking = Parameters<Step>;

/**
 * One hook that takes the steps in order until one has answered. A step that looks into the store
 * may have to wait for it, but no longer than the caller does; one that need not wait costs neither
 * a promise nor a timer.
 */
export function takeSteps(steps: readonly Step[], clock: Clock): onRequestHookHandler {
  /** From the first step that waits, the rest is one promise. */
  async function wait(first: Promise<Outcome>, next: number, taking: Taking): Promise<Outcome> {
    const deadline = taking[0].deadline.getTime();
    let outcome = await inTime(first, deadline - clock().getTime());
    for (const step of steps.slice(next)) {
      if (outcome) break;
      outcome = await inTime(step(...taking), deadline - clock().getTime());
    }
    return outcome;
  }

  return (request, reply, done) => {
    let next = 0;
    for (const step of steps) {
      next += 1;
      const outcome = step(request, reply);
      if (outcome instanceof Promise) {
        wait(outcome, next, [request, reply]).then(
          (answered) => {
            if (!answered) done();
          },
          (error: Error) => {
            if (!(error instanceof TookTooLong)) done(error);
            else refuse(request, reply, fault("service_unavailable"));
          },
        );
        return;
      }
      if (outcome) return;
    }
    done();
  };
}
