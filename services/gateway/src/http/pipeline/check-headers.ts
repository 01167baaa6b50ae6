import { type Fault, fault } from "@malipo/core";
import type { FastifyRequest, onRequestHookHandler } from "fastify";
import { refuse } from "../responses/refuse.ts";

/**
 * Refuses headers that two readers may understand differently: of two credentials or hosts, a proxy
 * may check the one and the gateway use the other.
 */
export const checkHeaders: onRequestHookHandler = (request, reply, done) => {
  const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") {
    reply.header("accept-encoding", "identity");
    const text = "Unsupported content encoding. Send the body without one.";
    refuse(request, reply, fault("unsupported_content_type", { text }));
    return;
  }
  const refusal = ambiguityIn(request.raw);
  if (refusal) refuse(request, reply, refusal);
  else done();
};

/** Node keeps the first of two such headers, so they are counted as they came. */
function ambiguityIn({ rawHeaders, httpVersion }: FastifyRequest["raw"]): Fault | undefined {
  let hosts = 0;
  let credentials = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    // Comparing lengths first saves the lower case of all other names.
    if (name?.length === "host".length && name.toLowerCase() === "host") hosts += 1;
    if (name?.length === "authorization".length && name.toLowerCase() === "authorization") {
      credentials += 1;
    }
  }
  if (credentials > 1) return fault("invalid_request", { text: "Send one Authorization header" });
  const isHostMissing = hosts === 0 && httpVersion !== "1.0";
  if (hosts > 1 || isHostMissing) return fault("invalid_request", { text: "Send one Host header" });
  return undefined;
}
