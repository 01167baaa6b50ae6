import { ensureStreams } from "@malipo/platform";
import { connect } from "@nats-io/transport-node";
import type { SharedServers } from "./shared-servers.ts";

/** What the gateway does, for services that a test starts without one. */
export async function createStreams({
  natsUrl,
  namespace,
}: Pick<SharedServers, "natsUrl" | "namespace">): Promise<void> {
  const nats = await connect({ servers: natsUrl });
  await ensureStreams(nats, namespace, 1);
  await nats.close();
}
