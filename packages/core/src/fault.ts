/** Whether the caller may send the request again: never, later, or only with the same idempotency key. */
export type RetryAdvice = "never" | "later" | "same-key-only";

interface FaultRule {
  readonly status: number;
  readonly text: string;
  readonly retry: RetryAdvice;
}

/**
 * The only catalogue of faults: code → HTTP status, public text and retry advice. A single fault
 * may replace the text.
 */
export const faultRules = {
  invalid_request: { status: 400, text: "Invalid request", retry: "never" },
  invalid_json: { status: 400, text: "Request body is not valid JSON", retry: "never" },
  invalid_id: { status: 400, text: "Invalid ID", retry: "never" },
  invalid_idempotency_key: {
    status: 400,
    text: "Invalid Idempotency-Key. Use 1 to 255 printable ASCII characters.",
    retry: "never",
  },
  missing_credential: {
    status: 401,
    text: "Missing credential. Send your client secret in the Authorization header.",
    retry: "never",
  },
  invalid_credential: { status: 401, text: "Invalid credential", retry: "never" },
  wrong_environment: { status: 401, text: "Credential of another environment", retry: "never" },
  business_suspended: { status: 403, text: "Business suspended", retry: "never" },
  foreign_origin: { status: 403, text: "This must be sent by our own page", retry: "never" },
  unknown_path: { status: 404, text: "Not found", retry: "never" },
  not_found: { status: 404, text: "Not found", retry: "never" },
  method_not_allowed: { status: 405, text: "Method not allowed", retry: "never" },
  request_timeout: {
    status: 408,
    text: "The request did not arrive in time",
    retry: "same-key-only",
  },
  conflict: { status: 409, text: "The present state does not allow this", retry: "never" },
  changed_meanwhile: {
    status: 409,
    text: "Changed by other requests at the same time. Please try again.",
    retry: "later",
  },
  payment_method_not_configured: {
    status: 409,
    text: "Payment method not configured",
    retry: "never",
  },
  phone_busy: {
    status: 409,
    text: "Another payment request is waiting on this phone. Please try again.",
    retry: "later",
  },
  idempotency_key_in_use: {
    status: 409,
    text: "A request with this Idempotency-Key is still running. Please try again.",
    retry: "later",
  },
  expectation_failed: {
    status: 417,
    text: "Expect takes nothing but 100-continue",
    retry: "never",
  },
  unknown_host: { status: 421, text: "Unknown host name", retry: "never" },
  idempotency_key_reused: {
    status: 422,
    text: "This Idempotency-Key was used with a different request",
    retry: "never",
  },
  provider_refused: { status: 422, text: "provider request failed", retry: "never" },
  body_too_large: { status: 413, text: "Request body is larger than 256 KB", retry: "never" },
  unsupported_content_type: {
    status: 415,
    text: "Unsupported content type. Send application/json.",
    retry: "never",
  },
  headers_too_large: { status: 431, text: "Request headers are too large", retry: "never" },
  rate_limited: {
    status: 429,
    text: "Rate limit exceeded. Please try again later.",
    retry: "later",
  },
  internal_error: { status: 500, text: "Internal error", retry: "same-key-only" },
  provider_unreachable: { status: 502, text: "provider request failed", retry: "later" },
  service_unavailable: { status: 503, text: "Service unavailable", retry: "later" },
  outcome_unknown: {
    status: 504,
    text: "No answer in time; the outcome is unknown",
    retry: "same-key-only",
  },
} as const satisfies Record<string, FaultRule>;

export type FaultCode = keyof typeof faultRules;

export interface FieldProblem {
  readonly path: string;
  readonly problem: string;
}

export interface Fault {
  readonly code: FaultCode;
  readonly status: number;
  /** Public: the message that the caller reads. */
  readonly text: string;
  readonly retry: RetryAdvice;
  readonly fields?: readonly FieldProblem[];
  /** When a retry makes sense, if known. */
  readonly retryAfterSeconds?: number;
  /** Public: the answer of a payment provider. */
  readonly details?: string;
  /** Public: the transaction to query when the outcome of a payment is unknown. */
  readonly transactionid?: string;
  /** Private: for our log only. */
  readonly logText?: string;
}

export type FaultDetails = Partial<Omit<Fault, "code" | "status" | "retry">>;

export function fault(code: FaultCode, details: FaultDetails = {}): Fault {
  const { status, text, retry } = faultRules[code];
  return { code, status, text, retry, ...details };
}

/** For a record that does not exist or belongs to another business. */
export function notFound(noun: string): Fault {
  return fault("not_found", {
    text: `${noun.charAt(0).toUpperCase()}${noun.slice(1)} not found`,
  });
}
