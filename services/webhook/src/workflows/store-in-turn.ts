import { addMs, secondMs } from "@malipo/core";
import { announceDue } from "../delivery/worker.ts";
import type { SendingDeps } from "../deps.ts";

/** If this process ends before it wakes the endpoint, a worker finds the endpoint after this time. */
const foundAfterMs = 10 * secondMs;

/**
 * Stores a test or resend, and says that its endpoint has something to send. The receiver's rest ends
 * only if one may be sent now, or a flood of tests would never let it rest.
 */
export async function storeInTurn<Stored>(
  { service, queues }: SendingDeps,
  endpointid: string,
  { turn, now }: { readonly turn: Date; readonly now: Date },
  store: () => Promise<Stored>,
): Promise<Stored> {
  const endpoint = { endpointid, enabled: true };
  await queues.mark([endpoint], addMs(now, foundAfterMs));
  const stored = await store();
  if (turn > now) await queues.mark([endpoint], turn);
  else {
    await queues.restart(endpointid, now);
    announceDue(service, [endpointid]);
  }
  return stored;
}
