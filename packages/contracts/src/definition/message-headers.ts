/** The request's context is one header, because parsing eight costs more than the rest of a request. */
export const contextHeader = "context";

/** The headers of a service's reply to the gateway. */
export const replyHeaders = {
  status: "status",
  retryAfter: "retryafter",
  version: "version",
  policy: "policy",
  filename: "filename",
} as const;
