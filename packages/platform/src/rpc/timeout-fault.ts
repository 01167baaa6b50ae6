import { isWrite, type Operation } from "@malipo/contracts";
import { type Fault, fault } from "@malipo/core";

/** The caller may retry a read. A change may have been carried out, so its outcome is unknown. */
export function timeoutFault(operation: Operation, detail: string): Fault {
  return fault(isWrite(operation) ? "outcome_unknown" : "service_unavailable", { detail });
}
