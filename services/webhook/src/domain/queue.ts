import { secondMs } from "@malipo/core";
import type { Health } from "./health.ts";

/** A worker that does not renew its lease for this long loses the endpoint to other workers. */
export const leaseMs = 10 * secondMs;

/** The waiting deliveries of one endpoint as a whole. One worker at a time has the lease. */
export interface Queue {
  readonly endpointid: string;
  /** The current lease; empty when no worker has it. */
  readonly owner: string;
  /** Changes whenever there may be something new. */
  readonly mark: string;
  readonly health: Health;
  /** A person wants a fresh start for the receiver; the time tells one request from another. */
  readonly restartedat: Date | null;
  /** Waiting deliveries created up to this time are to be dropped. */
  readonly dropuntil: Date | null;
}
