import { secondMs } from "@malipo/core";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { PlatformConfig } from "../config/index.ts";
import type { Log } from "../logging/index.ts";
import type { Wire } from "./connection.ts";
import { ensureStreams, findStreamConfig, streamConfigs } from "./streams.ts";

const checkEveryMs = 2 * secondMs;

/** Creates the streams, and creates them again within seconds when they are lost. */
export async function keepStreams(
  { nats, isConnected, onReconnect }: Wire,
  { NAMESPACE, STREAM_REPLICAS }: PlatformConfig,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  await ensureStreams(nats, NAMESPACE, STREAM_REPLICAS);
  let checkStreams = openStreamCheck(nats, NAMESPACE, STREAM_REPLICAS);
  // A stream may have come back and been deleted again meanwhile.
  onReconnect(() => {
    checkStreams = openStreamCheck(nats, NAMESPACE, STREAM_REPLICAS);
  });
  const checkRepeatedly = async () => {
    for (;;) {
      await sleep(checkEveryMs, undefined, { signal });
      if (!isConnected()) continue;
      await checkStreams().catch((error: unknown) =>
        log.warn({ err: error }, "streams could not be checked"),
      );
    }
  };
  checkRepeatedly().catch(() => {
    // The sleep rejects when the service stops.
  });
}

/**
 * Each call updates changed streams, and creates those that the call before has missed too. A stream
 * that has just disappeared may still be in deletion. If it is created in that moment, nats-server
 * deletes the files of the new stream: it acknowledges messages and loses them.
 */
export function openStreamCheck(
  nats: NatsConnection,
  namespace: string,
  replicas: number,
): () => Promise<void> {
  let missing: ReadonlySet<string> = new Set();
  return async () => {
    const missedBefore = missing;
    // After a check that failed, a stream has to be missed twice again.
    missing = new Set();
    const manager = await jetstreamManager(nats);
    const missingNow = new Set<string>();
    for (const config of streamConfigs(namespace, replicas)) {
      const { name } = config;
      const found = await findStreamConfig(manager, name);
      if (!found && !missedBefore.has(name)) missingNow.add(name);
      else if (!found) await manager.streams.add(config);
      else if (!isDeepStrictEqual({ ...found, ...config }, found)) {
        await manager.streams.update(name, config);
      }
    }
    missing = missingNow;
  };
}
