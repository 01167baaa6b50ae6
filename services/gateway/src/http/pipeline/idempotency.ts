import { isWrite } from "@malipo/contracts";
import { fault, secondMs } from "@malipo/core";
import { inTime, isStoreAway, type Service } from "@malipo/platform";
import type { FastifyReply, FastifyRequest, onSendHookHandler } from "fastify";
import { fingerprintOf, readKey, recordIdOf } from "./fingerprint.ts";
import type { GatewayMetrics } from "../../metrics.ts";
import type { Claim, Claiming, IdempotencyKeys } from "../../store/idempotency-keys.ts";
import type { Outcome, Step } from "./pipeline.ts";
import { refuse, send } from "../responses/refuse.ts";

const settlePatienceMs = secondMs;

declare module "fastify" {
  interface FastifyRequest {
    claim: Claim | null;
  }
}

/** A request with a key is carried out once; when it comes again it gets the first one's answer. */
export function claimKey(
  keys: IdempotencyKeys,
  { store }: Pick<Service, "store">,
  metrics: GatewayMetrics["keys"],
): Step {
  return (request, reply) => {
    const header = request.headers["idempotency-key"];
    const { route } = request.routeOptions.config;
    if (header === undefined || !route || !isWrite(route) || !request.principal) return undefined;
    const key = readKey(String(header));
    if (!key.ok) return refuse(request, reply, key.error);
    if (store.isAway()) return refuse(request, reply, fault("service_unavailable"));
    const body = request.body instanceof Uint8Array ? request.body : undefined;
    const id = recordIdOf(
      request.principal.businessid,
      `${route.service}.${route.verb}`,
      key.value,
    );
    const fingerprint = fingerprintOf(request.method, request.url, body);
    return keys.claim(id, fingerprint, request.deadline).then(
      (claiming) => {
        metrics.inc({ outcome: claiming.kind });
        return follow(claiming, request, reply);
      },
      (error: unknown) => {
        if (!isStoreAway(error)) throw error;
        return refuse(request, reply, fault("service_unavailable"));
      },
    );
  };
}

function follow(claiming: Claiming, request: FastifyRequest, reply: FastifyReply): Outcome {
  switch (claiming.kind) {
    case "claimed":
      request.claim = claiming.claim;
      return undefined;
    case "answered":
      return send(reply.header("idempotent-replayed", "true"), claiming.answer);
    case "running":
      return refuse(request, reply, fault("idempotency_key_in_use", claiming));
    default:
      return refuse(request, reply, fault("idempotency_key_reused"));
  }
}

/**
 * Before an answer leaves, the key learns of it. Successes and a provider's definite refusals (422)
 * are kept; any other refusal frees the key; what may or may not have happened is to be resumed.
 */
export function settleKey(keys: IdempotencyKeys, log: Service["log"]): onSendHookHandler {
  return (request, reply, payload, done) => {
    const { claim } = request;
    if (!claim) return done(null, payload);
    request.claim = null;
    inTime(settle(keys, claim, reply, payload), settlePatienceMs).then(
      (held) => done(null, held),
      (error: unknown) => {
        // The retry finds the lease ended and resumes; the effect itself knows its operation.
        log.warn({ err: error, requestid: request.id }, "idempotency key not settled");
        done(null, payload);
      },
    );
  };
}

function settle(
  keys: IdempotencyKeys,
  claim: Claim,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const status = reply.statusCode;
  if (status < 400 || status === 422) return complete(keys, claim, reply, payload);
  return (status >= 500 ? keys.abandon(claim) : keys.release(claim)).then(() => payload);
}

async function complete(
  keys: IdempotencyKeys,
  claim: Claim,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const body = payload instanceof Uint8Array ? payload : Buffer.from(String(payload));
  const held = await keys.complete(claim, { status: reply.statusCode, body });
  // Another attempt took over and is under way; its effect is the same one.
  if (held === "running") return payload;
  reply.code(held.status);
  return held.body;
}
