import { inboxPrefix, natsUserName, type ServiceName } from "@malipo/contracts";
import { minuteMs } from "@malipo/core";
import { type ConnectionOptions, PermissionViolationError, type Status } from "@nats-io/nats-core";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { PlatformConfig } from "../config/index.ts";
import type { Log } from "../logging/index.ts";
import { type SendNatsRequest, openReplyInbox } from "./reply-inbox.ts";

const shortOutageMs = 10_000;
const waitingLogEveryMs = 5_000;
const denialsMax = 20;
const denialsKeptMs = 15 * minuteMs;

export interface Wire {
  readonly nats: NatsConnection;
  readonly request: SendNatsRequest;
  /** False from the moment the connection is lost until it is back. */
  readonly isConnected: () => boolean;
  /**
   * Stays true in a short outage. All replicas share one NATS, and would otherwise all become unready
   * at once.
   */
  readonly isReachable: () => boolean;
  /** Operations that the server refused in the last 15 minutes, as "publish <subject>". */
  readonly denied: () => readonly string[];
  /** Messages that were sent to us during the outage are lost. */
  readonly onReconnect: (listener: () => void) => void;
}

type NatsConfig = Pick<PlatformConfig, "NAMESPACE" | "NATS_URL" | "NATS_USER" | "NATS_PASSWORD">;

/** Waits for the first connection, and reconnects without end. */
export async function connectNats(
  config: NatsConfig,
  service: ServiceName,
  log: Log,
): Promise<Wire> {
  const waiting = setInterval(() => log.warn("waiting for NATS"), waitingLogEveryMs);
  const prefix = inboxPrefix(config.NAMESPACE, service);
  const nats = await connect({
    servers: config.NATS_URL.split(","),
    name: service,
    inboxPrefix: prefix,
    ...credentialsOf(config, service),
    // A stack trace for each request would cost a quarter of the gateway's time.
    noAsyncTraces: true,
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 5_000,
    maxPingOut: 2,
    ignoreAuthErrorAbort: true,
  }).finally(() => clearInterval(waiting));
  let lostAtMs: number | undefined;
  const listeners: (() => void)[] = [];
  const denials = new Map<string, number>();
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === "reconnect") {
        lostAtMs = undefined;
        for (const listener of listeners) listener();
      }
      if (status.type === "disconnect" || status.type === "staleConnection") {
        lostAtMs ??= performance.now();
      }
      if (status.type === "error" && status.error instanceof PermissionViolationError) {
        const { operation, subject } = status.error;
        if (denials.size < denialsMax) denials.set(`${operation} ${subject}`, performance.now());
      }
      if (status.type === "ping" || status.type === "reconnecting") continue;
      logStatus(status, log);
    }
  })();
  return {
    nats,
    request: openReplyInbox(nats, prefix),
    isConnected: () => lostAtMs === undefined,
    isReachable: () => lostAtMs === undefined || performance.now() - lostAtMs < shortOutageMs,
    denied: () => {
      const sinceMs = performance.now() - denialsKeptMs;
      for (const [denial, atMs] of denials) if (atMs < sinceMs) denials.delete(denial);
      return [...denials.keys()];
    },
    onReconnect: (listener) => void listeners.push(listener),
  };
}

function credentialsOf(
  { NAMESPACE, NATS_USER, NATS_PASSWORD }: NatsConfig,
  service: ServiceName,
): Pick<ConnectionOptions, "user" | "pass"> {
  if (NATS_PASSWORD === undefined) return {};
  return { user: NATS_USER ?? natsUserName(NAMESPACE, service), pass: NATS_PASSWORD };
}

function logStatus(status: Status, log: Log): void {
  if (status.type !== "error") {
    const level = status.type === "staleConnection" ? "warn" : "info";
    return log[level]({ nats: status.type }, "NATS connection changed");
  }
  const { error } = status;
  // A contract or a NATS user is wrong, and the caller may never notice: the message is just lost.
  if (error instanceof PermissionViolationError) {
    const { operation, subject } = error;
    return log.error({ err: error, operation, subject }, "NATS refused an operation");
  }
  log.warn({ nats: status.type, err: error }, "NATS reports an error");
}
