/** The one header in which a request's context travels: reading eight costs more than the rest. */
export const contextHeader = "context";

/** What a service tells the gateway about its answer. */
export const replyHeaders = {
  status: "status",
  retryAfter: "retryafter",
  version: "version",
  policy: "policy",
  filename: "filename",
} as const;
