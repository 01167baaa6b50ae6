import { type Fault, fault, type FaultCode, faultRules } from "@malipo/core";
import type { ErrorField } from "./operation.ts";

/** The one shape of every refusal that leaves the system. */
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

/** What another service refused. A code of a later release is an error like any other. */
export function parseFailure(body: unknown): Fault {
  const { code, error, fields, retry_after, details, transactionid } = body as FailureBody;
  if (!Object.hasOwn(faultRules, code)) return fault("internal_error", { detail: error });
  return fault(code, {
    text: error,
    ...(fields && { fields }),
    ...(retry_after !== undefined && { retryAfterSeconds: retry_after }),
    ...(details !== undefined && { details }),
    ...(transactionid !== undefined && { transactionid }),
  });
}
