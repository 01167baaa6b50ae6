import { type Fault, fault, type FaultCode, faultRules } from "@malipo/core";
import type { ErrorField } from "./route.ts";

/** The one shape of every refusal that leaves the system. */
export function failureBody(fault: Fault, errorField: ErrorField, requestid: string): string {
  return JSON.stringify({
    success: false,
    [errorField]: fault.text,
    code: fault.code,
    ...(fault.retryAfterSeconds !== undefined && { retry_after: fault.retryAfterSeconds }),
    ...(fault.fields && { fields: fault.fields }),
    requestid,
  });
}

interface FailureBody {
  readonly code: FaultCode;
  readonly error: string;
  readonly fields?: NonNullable<Fault["fields"]>;
  readonly retry_after?: number;
}

/** What another service refused. A code of a later release is an error like any other. */
export function readFailure(body: unknown): Fault {
  const { code, error, fields, retry_after } = body as FailureBody;
  if (!Object.hasOwn(faultRules, code)) return fault("internal_error", { detail: error });
  return fault(code, {
    text: error,
    ...(fields && { fields }),
    ...(retry_after !== undefined && { retryAfterSeconds: retry_after }),
  });
}
