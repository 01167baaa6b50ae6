import type { Service } from "@malipo/platform";
import { announceDue } from "../delivery/worker.ts";
import { priorityDueAt } from "../store/deliveries.ts";
import type { Queues } from "../store/queues.ts";

/** The due time of a test or resend: before all other deliveries, unless its turn comes later. */
export function dueInTurn(turn: Date, now: Date): Date {
  return turn > now ? turn : priorityDueAt;
}

/**
 * Says that the endpoint has a test or resend to send. The receiver's rest ends only if one may be
 * sent now, or a flood of tests would never let it rest.
 */
export async function wakeInTurn(
  { service, queues }: { readonly service: Service; readonly queues: Queues },
  endpointid: string,
  turn: Date,
  now: Date,
): Promise<void> {
  if (turn > now) return queues.mark([{ endpointid, enabled: true }], turn);
  await queues.restart(endpointid, now);
  announceDue(service, [endpointid]);
}
