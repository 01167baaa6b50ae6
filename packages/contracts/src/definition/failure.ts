import { type Fault, fault, type FaultCode, faultRules } from "@malipo/core";
import type { ErrorField } from "./operation.ts";

/** Writes the body of every failure that callers outside receive. */
export function formatFailure(fault: Fault, errorField: ErrorField, requestid: string): string {
  return JSON.stringify({
    success: false,
    [errorField]: fault.text,
    code: fault.code,
    ...(fault.retryAfterSeconds !== undefined && { retry_after: fault.retryAfterSeconds }),
    ...(fault.details !== undefined && { details: fault.details }),
    ...(fault.transactionid !== undefined && { transactionid: fault.transactionid }),
    ...(fault.fields && { fields: fault.fields }),
    requestid,
  });
}

interface FailureBody {
  readonly code: FaultCode;
  readonly error: string;
  readonly fields?: NonNullable<Fault["fields"]>;
  readonly retry_after?: number;
  readonly details?: string;
  readonly transactionid?: string;
}

/**
 * Reads the failure that another service answered. A newer release may send a code that this one
 * does not know; it counts as an internal error.
 */
export function parseFailure(body: unknown): Fault {
  const { code, error, fields, retry_after, details, transactionid } = body as FailureBody;
  if (!Object.hasOwn(faultRules, code)) return fault("internal_error", { logText: error });
  return fault(code, {
    text: error,
    ...(fields && { fields }),
    ...(retry_after !== undefined && { retryAfterSeconds: retry_after }),
    ...(details !== undefined && { details }),
    ...(transactionid !== undefined && { transactionid }),
  });
}
