import { inboxPrefix, natsUserName, type ServiceName } from "@malipo/contracts";
import { type ConnectionOptions, PermissionViolationError, type Status } from "@nats-io/nats-core";
import { minuteMs } from "@malipo/core";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { PlatformConfig } from "../config/config.ts";
import { type Ask, openInbox } from "./reply-inbox.ts";
import type { Log } from "../logging/log.ts";

const shortAbsenceMs = 10_000;
const waitingWordMs = 5_000;
const denialsMax = 20;
const denialsKeptMs = 15 * minuteMs;

export interface Wire {
  readonly nats: NatsConnection;
  readonly ask: Ask;
  /** False from the moment the connection is lost until it is back. */
  readonly isConnected: () => boolean;
  /** A short absence makes nobody unready: all replicas share one NATS, and would leave together. */
  readonly isReachable: () => boolean;
  /** What the server has refused us in the last minutes, in words. */
  readonly denied: () => readonly string[];
  /** What was sent to us meanwhile is lost. */
  readonly onReconnect: (listener: () => void) => void;
}

type NatsConfig = Pick<PlatformConfig, "NAMESPACE" | "NATS_URL" | "NATS_USER" | "NATS_PASSWORD">;

/** Waits for the first connection and never gives up a lost one. */
export async function connectNats(
  config: NatsConfig,
  service: ServiceName,
  log: Log,
): Promise<Wire> {
  const waiting = setInterval(() => log.warn("waiting for NATS"), waitingWordMs);
  const prefix = inboxPrefix(config.NAMESPACE, service);
  const nats = await connect({
    servers: config.NATS_URL.split(","),
    name: service,
    inboxPrefix: prefix,
    ...credentialsOf(config, service),
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
  const denials = new Map<string, number>();
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === "reconnect") {
        lostAt = undefined;
        for (const listener of listeners) listener();
      }
      if (status.type === "disconnect" || status.type === "staleConnection") {
        lostAt ??= performance.now();
      }
      if (status.type === "error" && status.error instanceof PermissionViolationError) {
        const { operation, subject } = status.error;
        if (denials.size < denialsMax) denials.set(`${operation} ${subject}`, performance.now());
      }
      if (status.type === "ping" || status.type === "reconnecting") continue;
      report(status, log);
    }
  })();
  return {
    nats,
    ask: openInbox(nats, prefix),
    isConnected: () => lostAt === undefined,
    isReachable: () => lostAt === undefined || performance.now() - lostAt < shortAbsenceMs,
    denied: () => {
      const since = performance.now() - denialsKeptMs;
      for (const [denial, atMs] of denials) if (atMs < since) denials.delete(denial);
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

function report(status: Status, log: Log): void {
  if (status.type !== "error") {
    const level = status.type === "staleConnection" ? "warn" : "info";
    return log[level]({ nats: status.type }, "nats");
  }
  const { error } = status;
  // What may not be said is lost without anybody else noticing: a contract or a user is wrong.
  if (error instanceof PermissionViolationError) {
    const { operation, subject } = error;
    return log.error({ err: error, operation, subject }, "NATS does not permit it");
  }
  log.warn({ nats: status.type, err: error }, "nats");
}
