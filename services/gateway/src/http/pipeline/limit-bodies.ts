import { fault } from "@malipo/core";
import { createShare, type Service } from "@malipo/platform";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { whenOver } from "../../admission/sockets.ts";
import { limitKeyOf } from "../../domain/client-address.ts";
import { refuse } from "../responses/refuse.ts";

const kib = 1_024;

/** Bodies of requests in progress. Each is kept until its answer has left. */
const heldBytesMax = 32 * kib * kib;
/** A chunked body is counted in blocks, because it may have very many chunks. */
const blockBytes = 16 * kib;
/** What Node keeps of a chunk beside its bytes. */
const chunkOverheadBytes = 128;

/**
 * Refuses requests whose body finds no room. One business, or one address, may hold as much as is
 * free. A body with a length is refused before it is read, and counts from then on; a chunked one
 * counts as it arrives. The request is authenticated by then, so a stranger takes no room.
 */
export function limitBodies(
  app: FastifyInstance,
  { metrics }: Service,
  bodyMaxBytes: number,
): void {
  const businesses = createShare({ max: heldBytesMax });
  const addresses = createShare({ max: heldBytesMax });

  /** Holds room until the request is over. False if there is none, and the request is refused. */
  function hold(request: FastifyRequest, reply: FastifyReply, bytes: number): boolean {
    const ofBusiness = businesses.take(request.principal?.businessid ?? "", bytes);
    const ofAddress = ofBusiness && addresses.take(limitKeyOf(request.ip), bytes);
    for (const release of [ofBusiness, ofAddress]) {
      if (release) whenOver(request.raw.socket, reply.raw, release);
    }
    if (ofAddress) return true;
    metrics.requestsDropped.inc({ reason: "busy" });
    reply.header("connection", "close");
    refuse(request, reply, fault("service_unavailable"));
    return false;
  }

  app.addHook("preParsing", (request, reply, payload, done) => {
    if (request.routeOptions.config.route?.audience !== "public") return done();
    const { headers } = request;
    if (headers["transfer-encoding"] === undefined) {
      const length = Math.min(Number(headers["content-length"] ?? 0), bodyMaxBytes);
      if (length === 0 || hold(request, reply, length)) done();
      return;
    }
    let freeBytes = 0;
    const count = (chunk: Buffer): void => {
      freeBytes -= chunk.length + chunkOverheadBytes;
      if (freeBytes >= 0) return;
      const more = Math.ceil(-freeBytes / blockBytes) * blockBytes;
      freeBytes += more;
      if (!hold(request, reply, more)) payload.off("data", count);
    };
    payload.on("data", count);
    whenOver(request.raw.socket, reply.raw, () => payload.off("data", count));
    done();
  });
}
