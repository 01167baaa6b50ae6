import { hash } from "node:crypto";
import { isWrite } from "@malipo/contracts";
import { fault, secondMs } from "@malipo/core";
import { withTimeout, isStoreAway, type Service } from "@malipo/platform";
import type { FastifyReply, FastifyRequest, onSendHookHandler } from "fastify";
import { effectOnKey, readKey, type KeyAttempt } from "../../domain/idempotency.ts";
import type { GatewayMetrics } from "../../metrics.ts";
import type { IdempotencyKeys, ClaimResult } from "../../store/idempotency-keys.ts";
import { jsonHeaders } from "../responses/json-headers.ts";
import { refuse } from "../responses/refuse.ts";
import type { Outcome, Step } from "./pipeline.ts";

const recordTimeoutMs = secondMs;

declare module "fastify" {
  interface FastifyRequest {
    /** The attempt that owns the idempotency key; null for a request without a key. */
    keyAttempt: KeyAttempt | null;
  }
}

/** Executes a request with a key once. A repetition gets the answer of the first request. */
export function claimKey(
  keys: IdempotencyKeys,
  { store }: Pick<Service, "store">,
  outcomes: GatewayMetrics["idempotencyKeys"],
): Step {
  return (request, reply) => {
    const header = request.headers["idempotency-key"];
    const { route } = request.routeOptions.config;
    if (header === undefined || !route || !isWrite(route) || !request.principal) return undefined;
    const key = readKey(String(header));
    if (!key.ok) return refuse(request, reply, key.error);
    if (store.isAway()) return refuse(request, reply, fault("service_unavailable"));
    const { businessid } = request.principal;
    const id = keyIdOf(businessid, `${route.service}.${route.verb}`, key.value);
    const body = request.body instanceof Uint8Array ? request.body : undefined;
    const fingerprint = fingerprintOf(request.method, request.url, body);
    return keys.claim(id, fingerprint, request.deadline).then(
      (result) => {
        outcomes.inc({ outcome: result.kind });
        return continueOrAnswer(result, request, reply);
      },
      (error: unknown) => {
        if (!isStoreAway(error)) throw error;
        return refuse(request, reply, fault("service_unavailable"));
      },
    );
  };
}

function continueOrAnswer(
  result: ClaimResult,
  request: FastifyRequest,
  reply: FastifyReply,
): Outcome {
  switch (result.kind) {
    case "claimed":
      request.keyAttempt = result.attempt;
      return undefined;
    case "answered":
      reply
        .code(result.answer.status)
        .headers({ ...jsonHeaders, "idempotent-replayed": "true" })
        .send(result.answer.body);
      return "answered";
    case "running":
      return refuse(request, reply, fault("idempotency_key_in_use", result));
    default:
      return refuse(request, reply, fault("idempotency_key_reused"));
  }
}

/** Updates the key before the answer is sent. If that fails, the answer is sent all the same. */
export function recordAnswer(keys: IdempotencyKeys, log: Service["log"]): onSendHookHandler {
  return (request, reply, payload, done) => {
    const { keyAttempt } = request;
    if (!keyAttempt) return done(null, payload);
    request.keyAttempt = null;
    withTimeout(updateKey(keys, keyAttempt, reply, payload), recordTimeoutMs).then(
      (held) => done(null, held),
      (error: unknown) => {
        // A repetition resumes after the lease. The operation id prevents a second effect.
        log.warn({ err: error, requestid: request.id }, "idempotency key not updated");
        done(null, payload);
      },
    );
  };
}

/** Returns the body to send. */
async function updateKey(
  keys: IdempotencyKeys,
  attempt: KeyAttempt,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const effect = effectOnKey(reply.statusCode);
  if (effect === "free") await keys.free(attempt);
  if (effect === "resume") await keys.endLease(attempt);
  if (effect !== "store") return payload;
  const body = payload instanceof Uint8Array ? payload : Buffer.from(String(payload));
  const held = await keys.storeAnswer(attempt, { status: reply.statusCode, body });
  // Another attempt has taken over and is running. It has the same effect as this one.
  if (held === "running") return payload;
  reply.code(held.status);
  return held.body;
}

/** The id of a key's record: a key counts within its business and route only. */
export function keyIdOf(businessid: string, route: string, key: string): string {
  return digest(joinWithLengths([businessid, route, key]));
}

/** Two requests with one fingerprint are the same request. */
export function fingerprintOf(
  method: string,
  url: string,
  body: Uint8Array = new Uint8Array(),
): string {
  const head = Buffer.from(`${joinWithLengths([method, url])}${body.length}:`);
  return digest(Buffer.concat([head, body]));
}

/** The length before each part makes the text unambiguous: different parts, different text. */
function joinWithLengths(parts: readonly string[]): string {
  let joined = "";
  for (const part of parts) joined += `${part.length}:${part}`;
  return joined;
}

/** One call, because updating a hash in pieces costs twice as much. */
function digest(data: string | Uint8Array): string {
  return hash("sha256", data, "base64url");
}
