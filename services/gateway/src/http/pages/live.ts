import { attemptPattern, type LiveMessage, liveSubject } from "@malipo/contracts";
import { fault, minuteMs, notFound, secondMs } from "@malipo/core";
import { createShare, type Service } from "@malipo/platform";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { beginStream, whenOver } from "../../admission/sockets.ts";
import { pageHeaders } from "../responses/page-headers.ts";
import { refuse } from "../responses/refuse.ts";

const lifetimeMs = 3 * minuteMs;
const heartbeatMs = 15 * secondMs;
/** A whole village may share one address. */
export const streamLimits = { max: 2_000, perClientMax: 200 } as const;
/** More payers than this may use one link at a time; their pages poll instead. */
const linkLimits = { max: streamLimits.max, perClientMax: 100 } as const;

/**
 * Server-sent events: forwards each live message of a payment to the page that watches it. A page
 * that misses a message learns the state by polling.
 */
export function streamLiveUpdates(
  app: FastifyInstance,
  { wire, config }: Pick<Service, "wire" | "config">,
) {
  const links = createShare(linkLimits);
  const ends = new Set<() => void>();
  app.addHook("preClose", async () => {
    for (const end of ends) end();
  });

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { code = "", attempt = "" } = request.params as Partial<Record<string, string>>;
    if (!attemptPattern.test(attempt)) return void refuse(request, reply, notFound("payment"));
    const leaveLink = links.take(code);
    if (!leaveLink) return void refuse(request, reply, fault("service_unavailable"));
    const { raw } = reply;
    whenOver(request.raw.socket, raw, leaveLink);
    // An answer that follows a stream on its socket would wait for minutes.
    if (!beginStream(request.raw.socket)) {
      reply.header("connection", "close");
      return void refuse(request, reply, fault("service_unavailable"));
    }
    reply.hijack();
    raw.writeHead(200, {
      ...pageHeaders,
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Proxies that buffer answers would delay the events.
      "x-accel-buffering": "no",
      connection: "close",
    });
    raw.write(": hello\n\n");
    const end = () => void raw.end("event: end\ndata: end\n\n");
    const subscription = wire.nats.subscribe(liveSubject(config.NAMESPACE, attempt), {
      callback: (error, message) => {
        if (raw.writableEnded) return;
        if (!error) raw.write("data: changed\n\n");
        if (error || message.json<LiveMessage>().ended) end();
      },
    });
    const heartbeat = setInterval(() => raw.write(": \n\n"), heartbeatMs);
    const timer = setTimeout(end, lifetimeMs);
    ends.add(end);
    whenOver(request.raw.socket, raw, () => {
      ends.delete(end);
      subscription.unsubscribe();
      clearInterval(heartbeat);
      clearTimeout(timer);
    });
  };
}
