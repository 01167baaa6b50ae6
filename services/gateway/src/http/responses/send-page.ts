import { parseFailure, type Route } from "@malipo/contracts";
import type { ServiceReply } from "@malipo/platform";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Outcome } from "../pipeline/pipeline.ts";
import { pageHeaders } from "./page-headers.ts";
import { refuse } from "./refuse.ts";

const denyAll = "default-src 'none'; frame-ancestors 'none'";

/**
 * Sends the bytes of a service's page, with headers that restrict the browser. Answers 304 if the
 * client has this version.
 */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  { body, page }: ServiceReply,
): Outcome {
  if (!page) return refuse(request, reply, parseFailure(JSON.parse(Buffer.from(body).toString())));
  const { media = "application/octet-stream", maxAgeSeconds = 0 } = route.reply;
  const etag = page.version === undefined ? undefined : `"${page.version}"`;
  reply.headers({
    ...pageHeaders,
    "content-security-policy": page.policy ?? denyAll,
    "cache-control": maxAgeSeconds > 0 ? `public, max-age=${maxAgeSeconds}` : "private, no-cache",
    ...(etag !== undefined && { etag }),
    ...(page.filename !== undefined && {
      "content-disposition": `inline; filename="${page.filename}"`,
    }),
  });
  if (etag !== undefined && request.headers["if-none-match"] === etag) reply.code(304).send();
  else reply.type(media).send(body);
  return "answered";
}
