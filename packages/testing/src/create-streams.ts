import { ensureStreams } from "@malipo/platform";
import { connect } from "@nats-io/transport-node";
import type { SharedServers } from "./shared-servers.ts";

/** Creates the streams, as the gateway does at its start, for services that run without a gateway. */
export async function createStreams({
  natsUrl,
  namespace,
}: Pick<SharedServers, "natsUrl" | "namespace">): Promise<void> {
  const nats = await connect({ servers: natsUrl });
  await ensureStreams(nats, namespace, 1);
  await nats.close();
}
