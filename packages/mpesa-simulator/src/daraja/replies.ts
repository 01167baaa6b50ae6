import { requestId } from "./ids.ts";

export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export function jsonReply(status: number, body: unknown): Reply {
  return { status, type: "application/json;charset=utf-8", body: JSON.stringify(body) };
}

function errorReply(status: number, errorCode: string, errorMessage: string): Reply {
  return jsonReply(status, { requestId: requestId(), errorCode, errorMessage });
}

export function invalidField(field: string): Reply {
  return errorReply(400, "400.002.02", `Bad Request - Invalid ${field}`);
}

/** The question's own id comes back as the request id. */
export function stillProcessing(checkoutRequestId: string): Reply {
  return jsonReply(500, {
    requestId: checkoutRequestId,
    errorCode: "500.001.1001",
    errorMessage: "The transaction is being processed",
  });
}

/** The gateway in front of Daraja speaks for itself when something does not even get through to it. */
function gatewayFault(status: number, faultstring: string, errorcode: string): Reply {
  return jsonReply(status, { fault: { faultstring, detail: { errorcode } } });
}

function htmlPage(status: number, title: string): Reply {
  return {
    status,
    type: "text/html; charset=UTF-8",
    body: `<html><head><title>${title}</title><META NAME="robots" CONTENT="noindex,nofollow"></head><body><iframe src="/_incident?id=${requestId()}"></iframe></body></html>\n`,
  };
}

const makers = {
  invalidAuthentication: () => errorReply(400, "400.008.01", "Invalid Authentication passed"),
  invalidGrantType: () => errorReply(400, "400.008.02", "Invalid grant type passed"),
  invalidPayload: () => errorReply(400, "400.002.05", "Invalid Request Payload"),
  payloadTooLarge: () => errorReply(413, "400.002.05", "Invalid Request Payload"),
  invalidAmount: () => invalidField("Amount"),
  unknownPath: () => errorReply(404, "404.001.01", "Resource not found"),
  methodNotAllowed: () => errorReply(405, "405.001", "Method Not Allowed"),
  invalidToken404: () => errorReply(404, "404.001.03", "Invalid Access Token"),
  invalidToken401: () => errorReply(401, "401.003.01", "Error Occurred - Invalid Access Token"),
  invalidToken400: () => errorReply(400, "400.003.01", "Invalid Access Token"),
  gatewayInvalidToken: () =>
    gatewayFault(401, "Invalid Access Token", "keymanagement.service.invalid_access_token"),
  unknownMerchant: () => errorReply(500, "500.001.1001", "Merchant does not exist"),
  wrongCredentials: () => errorReply(500, "500.001.1001", "Wrong credentials"),
  prefixedWrongCredentials: () =>
    errorReply(500, "500.001.1001", "[MerchantValidate] - Wrong credentials"),
  subscriberLocked: () =>
    errorReply(
      500,
      "500.001.1001",
      "Unable to lock subscriber, a transaction is already in process for the current subscriber",
    ),
  internalError: () => errorReply(500, "500.003.1001", "Internal Server Error"),
  spikeArrest: () => errorReply(500, "500.003.02", "Error Occurred: Spike Arrest Violation"),
  systemBusy: () =>
    errorReply(500, "500.003.02", "System is busy. Please try again in few minutes."),
  quotaViolation: () => errorReply(500, "500.003.03", "Error Occurred: Quota Violation"),
  gatewayTimeout: () =>
    gatewayFault(500, "Failed to execute the call-out", "steps.callout.ExecutionFailed"),
  gatewaySpikeArrest: () =>
    gatewayFault(429, "Spike arrest violation", "policies.ratelimit.SpikeArrestViolation"),
  html503: () => htmlPage(503, "Service unavailable"),
  html200: () => htmlPage(200, "One moment"),
  empty200: () => ({ status: 200, type: "application/json;charset=utf-8", body: "" }),
} as const satisfies Record<string, () => Reply>;

export type ReplyName = keyof typeof makers;

export function reply(name: ReplyName): Reply {
  return makers[name]();
}
