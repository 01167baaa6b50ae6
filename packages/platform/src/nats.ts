import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type Ask, openInbox } from "./inbox.ts";
import type { Log } from "./log.ts";

const shortAbsenceMs = 10_000;
const waitingWordMs = 5_000;

export interface Wire {
  readonly nats: NatsConnection;
  readonly ask: Ask;
  /** False from the moment the connection is lost until it is back. */
  readonly isConnected: () => boolean;
  /** A short absence makes nobody unready: all replicas share one NATS, and would leave together. */
  readonly isReachable: () => boolean;
  /** What was sent to us meanwhile is lost. */
  readonly onReconnect: (listener: () => void) => void;
}

/** Waits for the first connection and never gives up a lost one. */
export async function connectNats(url: string, service: string, log: Log): Promise<Wire> {
  const waiting = setInterval(() => log.warn("waiting for NATS"), waitingWordMs);
  const inboxPrefix = `_INBOX_${service}`;
  const nats = await connect({
    servers: url.split(","),
    name: service,
    inboxPrefix,
    // Building stack traces that nobody reads costs a quarter of the gateway's time.
    noAsyncTraces: true,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 5_000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
  }).finally(() => clearInterval(waiting));
  let lostAt: number | undefined;
  const listeners: (() => void)[] = [];
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === "reconnect") {
        lostAt = undefined;
        for (const listener of listeners) listener();
      }
      if (status.type === "disconnect" || status.type === "staleConnection") {
        lostAt ??= performance.now();
      }
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
    ask: openInbox(nats, inboxPrefix),
    isConnected: () => lostAt === undefined,
    isReachable: () => lostAt === undefined || performance.now() - lostAt < shortAbsenceMs,
    onReconnect: (listener) => void listeners.push(listener),
  };
}
