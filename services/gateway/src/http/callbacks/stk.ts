import { fault } from "@malipo/core";
import {
  createShare,
  createCounter,
  newId,
  publishCallback,
  type Service,
  verifyCallbackToken,
} from "@malipo/platform";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { takePlace } from "../pipeline/admit.ts";
import type { Outcome } from "../pipeline/pipeline.ts";
import { runSteps } from "../pipeline/run-steps.ts";
import { jsonHeaders } from "../responses/json-headers.ts";
import { closeIfUnread, refuse } from "../responses/refuse.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The transaction that a valid token names; empty until the token was checked. */
    transactionid: string;
  }
}

const bodyMaxBytes = 64 * 1024;
const callbacksMax = 500;

/**
 * M-Pesa reports here how a prompt ended. The callback is on the stream before it is answered. A
 * request without a valid token gets the same answer, so that it learns nothing, and its body is not
 * read. There is no rate limit, and paths are not logged, because they contain the token.
 */
export function acceptStkCallbacks(
  app: FastifyInstance,
  service: Service,
  keys: readonly string[],
): void {
  const { metrics, log, clock } = service;
  const received = createCounter(metrics.exported, {
    name: "malipo_callbacks_total",
    help: "Provider callbacks by outcome: stored, forged (invalid token), unstored (no stream)",
    labelNames: ["outcome"],
  });
  // A series that first appears as 1 has no increase, so every series starts at 0.
  for (const outcome of ["stored", "forged", "unstored"]) received.inc({ outcome }, 0);

  function checkToken(request: FastifyRequest, reply: FastifyReply): Outcome {
    const { token = "" } = request.params as { token?: string };
    const transactionid = verifyCallbackToken(token, keys);
    if (transactionid !== null) {
      request.transactionid = transactionid;
      return undefined;
    }
    received.inc({ outcome: "forged" });
    closeIfUnread(request, reply);
    sendAccepted(reply);
    return "answered";
  }

  // Many transactions share an address of the provider, so each transaction is a client.
  const share = createShare({ max: callbacksMax });
  const takeCallbackPlace = takePlace(share, service, ({ transactionid }) => transactionid);

  void app.register(async (scope) => {
    scope.decorateRequest("transactionid", "");
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: bodyMaxBytes },
      (_, body, done) => done(null, body),
    );
    scope.post(
      "/callbacks/stk/:token",
      { bodyLimit: bodyMaxBytes, onRequest: runSteps([checkToken, takeCallbackPlace], clock) },
      async (request, reply) => {
        const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
        try {
          await publishCallback(service, {
            id: newId(),
            provider: "mpesa",
            transactionid: request.transactionid,
            address: request.ip,
            at: clock().toISOString(),
            body: body.toString("base64"),
            ...(request.span && { traceparent: request.span.traceparent }),
          });
        } catch (error) {
          received.inc({ outcome: "unstored" });
          log.error({ err: error, requestid: request.id }, "callback not stored");
          return refuse(request, reply, fault("service_unavailable"));
        }
        received.inc({ outcome: "stored" });
        return sendAccepted(reply);
      },
    );
  });
}

function sendAccepted(reply: FastifyReply): FastifyReply {
  return reply.code(200).headers(jsonHeaders).send({ ResultCode: 0, ResultDesc: "Accepted" });
}
