import { fault } from "@malipo/core";
import { type Share, type Service } from "@malipo/platform";
import type { FastifyRequest } from "fastify";
import { whenOver } from "../../admission/sockets.ts";
import { limitKeyOf } from "../../domain/client-address.ts";
import { refuse } from "../responses/refuse.ts";
import type { Step } from "./pipeline.ts";

/** Takes a place for each request until it is over. Without a place the answer is 503. */
export function takePlace(
  share: Share,
  { metrics }: Pick<Service, "metrics">,
  clientOf: (request: FastifyRequest) => string = ({ ip }) => limitKeyOf(ip),
): Step {
  return (request, reply) => {
    const release = share.take(clientOf(request));
    if (release) {
      whenOver(request.raw.socket, reply.raw, release);
      return undefined;
    }
    metrics.requestsDropped.inc({ reason: "busy" });
    reply.header("connection", "close");
    return refuse(request, reply, fault("service_unavailable"));
  };
}
