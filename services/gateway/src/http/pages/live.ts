import { attemptPattern, type LiveMessage, liveSubject } from "@malipo/contracts";
import { fault, minuteMs, notFound, secondMs } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { pageHeaders } from "../responses/page-headers.ts";
import { refuse } from "../responses/refuse.ts";

const lifetimeMs = 3 * minuteMs;
const heartbeatMs = 15 * secondMs;
const streamsMax = 2_000;
/** A whole village may share one address. */
const streamsPerAddressMax = 200;
/** More payers than this may use one link at a time; their pages poll instead. */
const streamsPerLinkMax = 100;

/**
 * Server-sent events: forwards each live message of a payment to the page that watches it. A page
 * that misses a message learns the state by polling.
 */
export function streamLiveUpdates(
  app: FastifyInstance,
  { wire, config }: Pick<Service, "wire" | "config">,
) {
  const streams = new Set<Stream>();
  app.addHook("preClose", async () => {
    for (const stream of streams) stream.end();
  });

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { code = "", attempt = "" } = request.params as Partial<Record<string, string>>;
    if (!attemptPattern.test(attempt)) return void refuse(request, reply, notFound("payment"));
    if (isFull([...streams], request.ip, code)) {
      return void refuse(request, reply, fault("service_unavailable"));
    }
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...pageHeaders,
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Proxies that buffer answers would delay the events.
      "x-accel-buffering": "no",
    });
    raw.write(": hello\n\n");
    const subscription = wire.nats.subscribe(liveSubject(config.NAMESPACE, attempt), {
      callback: (error, message) => {
        if (error) return stream.end();
        if (raw.writableEnded) return;
        raw.write("data: changed\n\n");
        if (message.json<LiveMessage>().ended) stream.end();
      },
    });
    const heartbeat = setInterval(() => raw.write(": \n\n"), heartbeatMs);
    const timer = setTimeout(() => stream.end(), lifetimeMs);
    const stream: Stream = {
      address: request.ip,
      code,
      end: () => raw.end("event: end\ndata: end\n\n"),
    };
    streams.add(stream);
    raw.once("close", () => {
      streams.delete(stream);
      subscription.unsubscribe();
      clearInterval(heartbeat);
      clearTimeout(timer);
    });
  };
}

function isFull(streams: readonly Stream[], from: string, link: string): boolean {
  return (
    streams.length >= streamsMax ||
    streams.filter(({ address }) => address === from).length >= streamsPerAddressMax ||
    streams.filter(({ code }) => code === link).length >= streamsPerLinkMax
  );
}

interface Stream {
  readonly address: string;
  readonly code: string;
  end(): void;
}
