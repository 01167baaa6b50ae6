import { type Clock, fault } from "@malipo/core";
import type {
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  onRequestHookHandler,
} from "fastify";
import { inTime, TookTooLong } from "@malipo/platform";
import type { Step } from "./pipeline.ts";
import { refuse } from "../responses/refuse.ts";

/**
 * One hook that takes the steps in order until one has answered. A step that looks into the store
 * may have to wait for it, but no longer than the caller does; one that need not wait costs neither
 * a promise nor a timer.
 */
export function takeSteps(steps: readonly Step[], clock: Clock): onRequestHookHandler {
  function take(
    from: number,
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void {
    for (let at = from; at < steps.length; at += 1) {
      let outcome: ReturnType<Step> | undefined;
      try {
        outcome = steps[at]?.(request, reply);
      } catch (error) {
        return done(error as Error);
      }
      if (outcome instanceof Promise) {
        inTime(outcome, request.deadline.getTime() - clock().getTime()).then(
          (answered) => {
            if (!answered) take(at + 1, request, reply, done);
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
  }

  return (request, reply, done) => take(0, request, reply, done);
}
