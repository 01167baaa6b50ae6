import type { Fault } from "@malipo/core";
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
