import { type Clock, fault } from "@malipo/core";
import { withTimeout, TimedOut } from "@malipo/platform";
import type {
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  onRequestHookHandler,
} from "fastify";
import { refuse } from "../responses/refuse.ts";
import type { Step } from "./pipeline.ts";

/**
 * One hook that runs the steps in order until a step answers. A step that waits for the store is
 * cut off at the request's deadline. A step that does not wait costs no promise and no timer.
 */
export function runSteps(steps: readonly Step[], clock: Clock): onRequestHookHandler {
  function runFrom(
    first: number,
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void {
    for (let at = first; at < steps.length; at += 1) {
      let outcome: ReturnType<Step> | undefined;
      try {
        outcome = steps[at]?.(request, reply);
      } catch (error) {
        return done(error as Error);
      }
      if (outcome instanceof Promise) {
        withTimeout(outcome, request.deadline.getTime() - clock().getTime()).then(
          (answered) => {
            if (!answered) runFrom(at + 1, request, reply, done);
          },
          (error: Error) => {
            if (!(error instanceof TimedOut)) done(error);
            else refuse(request, reply, fault("service_unavailable"));
          },
        );
        return;
      }
      if (outcome) return;
    }
    done();
  }

  return (request, reply, done) => runFrom(0, request, reply, done);
}
