import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { Log } from "./log.ts";

export interface Wire {
  readonly nats: NatsConnection;
  /** False from the moment the connection is lost until it is back. */
  readonly isConnected: () => boolean;
  /** What was sent to us meanwhile is lost. */
  readonly onReconnect: (listener: () => void) => void;
}

/** Waits for the first connection and never gives up a lost one. */
export async function connectNats(url: string, service: string, log: Log): Promise<Wire> {
  const nats = await connect({
    servers: url.split(","),
    name: service,
    inboxPrefix: `_INBOX_${service}`,
    // Building stack traces that nobody reads costs a quarter of the gateway's time.
    noAsyncTraces: true,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 5_000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
  });
  let connected = true;
  const listeners: (() => void)[] = [];
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === "reconnect") {
        connected = true;
        for (const listener of listeners) listener();
      }
      if (status.type === "disconnect" || status.type === "staleConnection") connected = false;
      if (status.type === "ping" || status.type === "reconnecting") continue;
      const level = status.type === "error" || status.type === "staleConnection" ? "warn" : "info";
      log[level](
        { nats: status.type, ...(status.type === "error" && { err: status.error }) },
        "nats",
      );
    }
  })();
  return {
    nats,
    isConnected: () => connected,
    onReconnect: (listener) => void listeners.push(listener),
  };
}
