import { dayMs, secondMs } from "@malipo/core";
import type { onSendHookHandler } from "fastify";

const maxAgeSeconds = (365 * dayMs) / secondMs;

/**
 * Tells browsers to use https only, for a year. Only for requests that a trusted proxy has forwarded:
 * it ends the TLS connection, and without one browsers ignore the header. A proxy that does not say
 * which protocol the client used is assumed to take https, as live mode demands.
 */
export const demandHttps: onSendHookHandler = (request, reply, payload, done) => {
  const isForwarded = (request.ips?.length ?? 0) > 1;
  const protocolIsGiven = request.headers["x-forwarded-proto"] !== undefined;
  if (request.protocol === "https" || (isForwarded && !protocolIsGiven)) {
    reply.header("strict-transport-security", `max-age=${maxAgeSeconds}`);
  }
  done(null, payload);
};
