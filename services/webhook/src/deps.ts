import type { Service } from "@malipo/platform";
import type { Cursors } from "./store/cursors.ts";
import type { Deliveries } from "./store/deliveries.ts";
import type { Endpoints } from "./store/endpoints.ts";
import type { EventLog } from "./store/event-log.ts";
import type { FanOut } from "./workflows/fan-out.ts";
import type { ReceiverRules } from "./http/receiver-url.ts";
import type { Queues } from "./store/queues.ts";
import type { Secrets } from "./store/secrets.ts";
import type { AllTurns } from "./store/turns.ts";
import type { FirstAttempts } from "./delivery/first-attempts.ts";

/** The dependencies of the handlers. */
export interface Deps {
  readonly service: Service;
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly queues: Queues;
  readonly turns: AllTurns;
  readonly log: EventLog;
  readonly cursors: Cursors;
  readonly secrets: Secrets;
  readonly rules: ReceiverRules;
  readonly firstAttempts: FirstAttempts;
  readonly fanOut: FanOut;
}

/** The dependencies of the handlers that send a delivery again, or a test. */
export type SendingDeps = Pick<Deps, "service" | "endpoints" | "deliveries" | "queues" | "turns">;
