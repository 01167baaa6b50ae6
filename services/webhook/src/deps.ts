import type { Service } from "@malipo/platform";
import type { Cursors } from "./cursor.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Endpoints } from "./endpoints.ts";
import type { EventLog } from "./event-log.ts";
import type { FanOut } from "./fan-out.ts";
import type { ReceiverRules } from "./http/receiver-url.ts";
import type { Queues } from "./queues.ts";
import type { Secrets } from "./secrets.ts";
import type { FirstAttempts } from "./worker/first-attempts.ts";

/** What handlers work with. */
export interface Deps {
  readonly service: Service;
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly queues: Queues;
  readonly log: EventLog;
  readonly cursors: Cursors;
  readonly secrets: Secrets;
  readonly rules: ReceiverRules;
  readonly firstAttempts: FirstAttempts;
  readonly fanOut: FanOut;
}
