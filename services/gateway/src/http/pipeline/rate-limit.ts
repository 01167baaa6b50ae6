import { type Fault, fault, secondMs } from "@malipo/core";
import type { FastifyReply, FastifyRequest, onSendHookHandler } from "fastify";
import type { LimitDecision } from "../../domain/rate-limit/credential-limits.ts";
import { windowsFor } from "../../domain/rate-limit/windows.ts";
import type { LimitCounts } from "../../metrics.ts";
import type { AddressLimiter } from "../../limiters/address-limiter.ts";
import type { CredentialLimiter } from "../../limiters/credential-limiter.ts";
import { refuse } from "../responses/refuse.ts";
import type { Outcome, Step } from "./pipeline.ts";

/** Counts the request in all windows of its credential, and describes them in the headers. */
export function limitRate(limiter: CredentialLimiter, counts: LimitCounts): Step {
  function apply(decision: LimitDecision, request: FastifyRequest, reply: FastifyReply): Outcome {
    counts[decision.allowed ? "allowed" : "refused"] += 1;
    describeLimit(reply, decision);
    return decision.allowed ? undefined : refuse(request, reply, rateLimited(decision));
  }

  return (request, reply) => {
    const { principal } = request;
    const rateClass = request.routeOptions.config.route?.rateClass ?? "plan";
    if (!principal) return undefined;
    const windows = windowsFor(principal.plan, principal.limits, rateClass);
    if (rateClass === "none") {
      describeLimit(reply, limiter.peek(principal.credentialid, windows));
      return undefined;
    }
    const decision = limiter.take(principal.credentialid, windows);
    return decision instanceof Promise
      ? decision.then((decided) => apply(decided, request, reply))
      : apply(decision, request, reply);
  };
}

/** Describes the limit of the address in answers to requests without a valid credential. */
export function describeAddressLimit(limiter: AddressLimiter): onSendHookHandler {
  return (request, reply, payload, done) => {
    if (!reply.hasHeader("x-ratelimit-limit")) describeLimit(reply, limiter.peek(request.ip));
    done(null, payload);
  };
}

/** Counts the request against its address. */
export function limitAddress(limiter: AddressLimiter): Step {
  return (request, reply) => {
    const decision = limiter.count(request.ip);
    describeLimit(reply, decision);
    return decision.allowed ? undefined : refuse(request, reply, rateLimited(decision));
  };
}

export function describeLimit(
  reply: FastifyReply,
  { limit, remaining, resetMs }: LimitDecision,
): void {
  reply.header("x-ratelimit-limit", limit);
  reply.header("x-ratelimit-remaining", remaining);
  reply.header("x-ratelimit-reset", Math.ceil(resetMs / secondMs));
}

export function rateLimited({ waitMs }: LimitDecision): Fault {
  return fault("rate_limited", { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / secondMs)) });
}
