import { type Fault, fault, secondMs } from "@malipo/core";
import type { FastifyReply, FastifyRequest, onSendHookHandler } from "fastify";
import type { Decision } from "../../domain/rate-limit/credential-limits.ts";
import type { LimitCounts } from "../../metrics.ts";
import type { AddressLimiter } from "../../rate-limits/address-limiter.ts";
import type { Limiter } from "../../rate-limits/credential-limiter.ts";
import { windowsFor } from "../../domain/rate-limit/windows.ts";
import type { Outcome, Step } from "./pipeline.ts";
import { refuse } from "../responses/refuse.ts";

/** Counts a request of a known credential in all its windows, and says how it stands. */
export function limitRate(limiter: Limiter, counts: LimitCounts): Step {
  function follow(decision: Decision, request: FastifyRequest, reply: FastifyReply): Outcome {
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
      ? decision.then((decided) => follow(decided, request, reply))
      : follow(decision, request, reply);
  };
}

/** Where no credential was known, the address is what a response describes. */
export function describeAddress(addresses: AddressLimiter): onSendHookHandler {
  return (request, reply, payload, done) => {
    if (!reply.hasHeader("x-ratelimit-limit")) describeLimit(reply, addresses.peek(request.ip));
    done(null, payload);
  };
}

export function describeLimit(reply: FastifyReply, { limit, remaining, resetMs }: Decision): void {
  reply.header("x-ratelimit-limit", limit);
  reply.header("x-ratelimit-remaining", remaining);
  reply.header("x-ratelimit-reset", Math.ceil(resetMs / secondMs));
}

export function rateLimited({ resetMs }: Decision): Fault {
  const retryAfterSeconds = Math.max(1, Math.ceil((resetMs - Date.now()) / secondMs));
  return fault("rate_limited", { retryAfterSeconds });
}
