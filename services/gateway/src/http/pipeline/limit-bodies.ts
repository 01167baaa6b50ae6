import { fault } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { refuse } from "../responses/refuse.ts";

/** Bodies of requests in progress. Each is kept until its answer has left. */
const heldBytesMax = 32 * 1_024 * 1_024;

/**
 * Refuses a business's request whose body finds no room, before the body is read. The request is
 * authenticated by then, so a stranger takes no room.
 */
export function limitBodies(
  app: FastifyInstance,
  { metrics }: Service,
  bodyMaxBytes: number,
): void {
  let heldBytes = 0;
  app.addHook("preParsing", (request, reply, _payload, done) => {
    const bytes = bodyBytesOf(request, bodyMaxBytes);
    if (bytes === 0 || request.routeOptions.config.route?.audience !== "public") return done();
    if (heldBytes + bytes > heldBytesMax) {
      metrics.requestsDropped.inc({ reason: "busy" });
      reply.header("connection", "close");
      return refuse(request, reply, fault("service_unavailable"));
    }
    heldBytes += bytes;
    reply.raw.once("close", () => {
      heldBytes -= bytes;
    });
    done();
  });
}

/** A body without a length may be as large as any. */
function bodyBytesOf({ headers }: FastifyRequest, bodyMaxBytes: number): number {
  if (headers["transfer-encoding"] !== undefined) return bodyMaxBytes;
  return Math.min(Number(headers["content-length"] ?? 0), bodyMaxBytes);
}
