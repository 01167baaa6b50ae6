import { jsonReply, type Reply } from "../http/reply.ts";
import { createRequestId } from "./ids.ts";

/** The error replies of Daraja, and of the gateway in front of it. */

function buildError(status: number, errorCode: string, errorMessage: string): Reply {
  return jsonReply(status, { requestId: createRequestId(), errorCode, errorMessage });
}

export function buildInvalidField(field: string): Reply {
  return buildError(400, "400.002.02", `Bad Request - Invalid ${field}`);
}

/** Daraja puts the checkout request id of the query into `requestId`. */
export function buildStillProcessing(checkoutRequestId: string): Reply {
  return jsonReply(500, {
    requestId: checkoutRequestId,
    errorCode: "500.001.1001",
    errorMessage: "The transaction is being processed",
  });
}

/** The gateway in front of Daraja has its own form for requests that do not reach Daraja. */
function buildGatewayFault(status: number, faultstring: string, errorcode: string): Reply {
  return jsonReply(status, { fault: { faultstring, detail: { errorcode } } });
}

function buildHtmlPage(status: number, title: string): Reply {
  return {
    status,
    type: "text/html; charset=UTF-8",
    body: `<html><head><title>${title}</title><META NAME="robots" CONTENT="noindex,nofollow"></head><body><iframe src="/_incident?id=${createRequestId()}"></iframe></body></html>\n`,
  };
}

const builders = {
  invalidAuthentication: () => buildError(400, "400.008.01", "Invalid Authentication passed"),
  invalidGrantType: () => buildError(400, "400.008.02", "Invalid grant type passed"),
  invalidPayload: () => buildError(400, "400.002.05", "Invalid Request Payload"),
  payloadTooLarge: () => buildError(413, "400.002.05", "Invalid Request Payload"),
  invalidAmount: () => buildInvalidField("Amount"),
  unknownPath: () => buildError(404, "404.001.01", "Resource not found"),
  unknownHost: () => buildError(421, "421.001", "Unknown Host; add it to KNOWN_HOSTS"),
  methodNotAllowed: () => buildError(405, "405.001", "Method Not Allowed"),
  invalidToken404: () => buildError(404, "404.001.03", "Invalid Access Token"),
  invalidToken401: () => buildError(401, "401.003.01", "Error Occurred - Invalid Access Token"),
  invalidToken400: () => buildError(400, "400.003.01", "Invalid Access Token"),
  gatewayInvalidToken: () =>
    buildGatewayFault(401, "Invalid Access Token", "keymanagement.service.invalid_access_token"),
  unknownMerchant: () => buildError(500, "500.001.1001", "Merchant does not exist"),
  wrongCredentials: () => buildError(500, "500.001.1001", "Wrong credentials"),
  prefixedWrongCredentials: () =>
    buildError(500, "500.001.1001", "[MerchantValidate] - Wrong credentials"),
  subscriberLocked: () =>
    buildError(
      500,
      "500.001.1001",
      "Unable to lock subscriber, a transaction is already in process for the current subscriber",
    ),
  internalError: () => buildError(500, "500.003.1001", "Internal Server Error"),
  spikeArrest: () => buildError(500, "500.003.02", "Error Occurred: Spike Arrest Violation"),
  systemBusy: () =>
    buildError(500, "500.003.02", "System is busy. Please try again in few minutes."),
  quotaViolation: () => buildError(500, "500.003.03", "Error Occurred: Quota Violation"),
  gatewayTimeout: () =>
    buildGatewayFault(500, "Failed to execute the call-out", "steps.callout.ExecutionFailed"),
  gatewaySpikeArrest: () =>
    buildGatewayFault(429, "Spike arrest violation", "policies.ratelimit.SpikeArrestViolation"),
  html503: () => buildHtmlPage(503, "Service unavailable"),
  html200: () => buildHtmlPage(200, "One moment"),
  empty200: () => ({ status: 200, type: "application/json;charset=utf-8", body: "" }),
} as const satisfies Record<string, () => Reply>;

export type ReplyName = keyof typeof builders;

export function buildReply(name: ReplyName): Reply {
  return builders[name]();
}
