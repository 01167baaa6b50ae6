import { fault, secondMs } from "@malipo/core";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../responses/refuse.ts";
import { whenOver } from "../../admission/sockets.ts";

/** How long the gateway waits for a slow client. */
export interface Patience {
  /** A body may take this long at any pace. */
  readonly bodyGraceMs: number;
  /** After that its average pace must be higher. */
  readonly bodyBytesPerSecond: number;
  /** An answer must be read within this time. */
  readonly readingMaxMs: number;
  /** Within it, the client may pause this long. */
  readonly readingPauseMaxMs: number;
  readonly checkEveryMs: number;
}

const usualPatience: Patience = {
  bodyGraceMs: 4 * secondMs,
  bodyBytesPerSecond: 2_048,
  // A megabyte at 140 kbit/s, the pace of a phone on EDGE.
  readingMaxMs: 60 * secondMs,
  readingPauseMaxMs: 15 * secondMs,
  checkEveryMs: secondMs,
};

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly beganMs: number;
  readonly bytesBefore: number;
  /** Since when bytes of the answer wait for the client; null if none wait. */
  unreadSinceMs: number | null;
}

/**
 * Refuses requests whose body arrives too slowly, and closes sockets whose client does not read. One
 * timer checks all requests in progress, because a timer for each request would cost more.
 */
export function limitSlowClients(app: FastifyInstance, patience: Patience = usualPatience): void {
  const exchanges = new Set<Exchange>();

  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    const exchange: Exchange = {
      request,
      reply,
      beganMs: performance.now(),
      bytesBefore: socket.bytesRead,
      unreadSinceMs: null,
    };
    exchanges.add(exchange);
    whenOver(socket, reply.raw, () => exchanges.delete(exchange));
    done();
  });

  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const exchange of exchanges) {
      if (isBodyTooSlow(exchange, patience, nowMs)) {
        refuse(exchange.request, exchange.reply, fault("request_timeout"));
      }
      limitReader(exchange, patience, nowMs);
    }
  }, patience.checkEveryMs);
  timer.unref();
  app.addHook("onClose", async () => clearInterval(timer));
}

function isBodyTooSlow(
  { request, reply, beganMs, bytesBefore }: Exchange,
  { bodyGraceMs, bodyBytesPerSecond }: Patience,
  nowMs: number,
): boolean {
  if (request.raw.complete || reply.sent) return false;
  const lateSeconds = (nowMs - beganMs - bodyGraceMs) / secondMs;
  const received = request.raw.socket.bytesRead - bytesBefore;
  return lateSeconds > 0 && received < lateSeconds * bodyBytesPerSecond;
}

function limitReader(
  exchange: Exchange,
  { readingMaxMs, readingPauseMaxMs }: Patience,
  nowMs: number,
): void {
  const { raw: response } = exchange.reply;
  if (response.writableLength === 0) {
    exchange.unreadSinceMs = null;
    return;
  }
  if (exchange.unreadSinceMs === null) {
    exchange.unreadSinceMs = nowMs;
    // Node's own timer starts again whenever bytes leave. A stream has pauses without a fault.
    if (response.writableEnded) response.socket?.setTimeout(readingPauseMaxMs);
  }
  if (nowMs - exchange.unreadSinceMs > readingMaxMs) exchange.request.raw.socket.destroy();
}
