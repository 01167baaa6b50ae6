import type { Operation } from "./operation.ts";
import type { ServiceName } from "./service-name.ts";
import type { StreamKey } from "./stream.ts";

/** The namespace separates deployments that share one NATS, such as sandbox and live, or two tests. */
export function rpcSubject(
  namespace: string,
  { service, verb }: Pick<Operation, "service" | "verb">,
): string {
  return `${namespace}.rpc.${service}.${verb}`;
}

/** The subject of one event type, or of all types that a pattern matches. */
export function eventSubject(namespace: string, pattern: string): string {
  return `${namespace}.event.${pattern === "*" ? ">" : pattern}`;
}

/** Broadcast signals between the processes of one service, and the service that uses each. */
export const signals = {
  credentials: "gateway",
  deliveries: "webhook",
} as const satisfies Readonly<Record<string, ServiceName>>;

/** A signal is not stored. A process that misses it notices the change a little later on its own. */
export function signalSubject(namespace: string, about: keyof typeof signals): string {
  return `${namespace}.signal.${about}`;
}

/** The prefix of a service's reply subjects. No other service may subscribe to them. */
export function inboxPrefix(namespace: string, service: ServiceName): string {
  return `_INBOX.${namespace}.${service}`;
}

/** Notifies the page that watches one payment. The attempt is a secret that only this page knows. */
export function liveSubject(namespace: string, attempt: string): string {
  return `${namespace}.live.${attempt}`;
}

/** The subject of a provider's raw callbacks. */
export function callbackSubject(namespace: string, provider: "mpesa"): string {
  return `${namespace}.callback.${provider}`;
}

export function deadSubject(namespace: string, consumer: string): string {
  return `${namespace}.dead.${consumer}`;
}

export function streamName(namespace: string, stream: StreamKey): string {
  return `${namespace}_${stream}`;
}
