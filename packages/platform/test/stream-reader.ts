import type { EventEnvelope } from "@malipo/contracts";
import { readEvents } from "@malipo/testing";
import type { Service } from "../src/service/service.ts";

/** Everything on the service's event stream, in its order. */
export async function readStream({ config }: Service): Promise<EventEnvelope[]> {
  return readEvents({ natsUrl: config.NATS_URL, namespace: config.NAMESPACE });
}
