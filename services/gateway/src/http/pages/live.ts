import { attemptPattern, type LiveMessage, liveSubject } from "@malipo/contracts";
import { fault, minuteMs, notFound, secondMs } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { refuse } from "../responses/refuse.ts";
import { pageHeaders } from "../responses/page-headers.ts";

const lifetimeMs = 3 * minuteMs;
const heartbeatMs = 15 * secondMs;
const streamsMax = 2_000;
/** A whole village may be behind one address. */
const streamsOfAddressMax = 200;
/** As many as may wait for their prompts by one link; the pages of others ask now and then. */
const streamsOfLinkMax = 100;

/** Passes on what is said of one payment to the page that watches it; what comes too late it asks for. */
export function openLive(app: FastifyInstance, { wire, config }: Pick<Service, "wire" | "config">) {
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
      // Proxies that collect answers would keep the news back.
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
    streams.filter(({ address }) => address === from).length >= streamsOfAddressMax ||
    streams.filter(({ code }) => code === link).length >= streamsOfLinkMax
  );
}

interface Stream {
  readonly address: string;
  readonly code: string;
  end(): void;
}
