import type { ServiceHealth, ServiceName } from "@malipo/contracts";

/** A service that reported its health. */
export interface Reported {
  readonly name: ServiceName;
  readonly health: ServiceHealth;
  /** How far the service's clock is ahead of the gateway's. */
  readonly skewMs: number;
}

/** A service that did not report, and why. */
interface Unreported {
  readonly name: ServiceName;
  readonly problem: string;
}

export type ServiceReport = Reported | Unreported;

interface StreamFact {
  readonly name: string;
  /** The number of servers that keep the stream: 0 if it is missing, null if NATS did not say. */
  readonly replicas: number | null;
}

export interface HealthFacts {
  readonly at: Date;
  readonly services: readonly ServiceReport[];
  /** Null if NATS did not say. */
  readonly deadletters: number | null;
  readonly streams: readonly StreamFact[];
}
