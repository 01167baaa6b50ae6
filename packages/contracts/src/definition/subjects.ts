import type { Operation } from "./operation.ts";
import type { ServiceName } from "./service-name.ts";
import type { StreamKey } from "./stream.ts";

/** The namespace keeps deployments apart that share one NATS: sandbox and live, or two tests. */
export function rpcSubject(
  namespace: string,
  { service, verb }: Pick<Operation, "service" | "verb">,
): string {
  return `${namespace}.rpc.${service}.${verb}`;
}

/** Of one type of event, or of all that a pattern means. */
export function eventSubject(namespace: string, pattern: string): string {
  return `${namespace}.event.${pattern === "*" ? ">" : pattern}`;
}

/** What is said among the processes of one service. */
export const signals = {
  credentials: "gateway",
  deliveries: "webhook",
} as const satisfies Readonly<Record<string, ServiceName>>;

/** A word to everybody, remembered by nobody: who misses it learns of the matter a little later. */
export function signalSubject(namespace: string, about: keyof typeof signals): string {
  return `${namespace}.signal.${about}`;
}

/** Where a service's answers come, which nobody else may read. */
export function inboxPrefix(namespace: string, service: ServiceName): string {
  return `_INBOX.${namespace}.${service}`;
}

/** A word to whoever watches one payment, under a secret of that attempt. */
export function liveSubject(namespace: string, attempt: string): string {
  return `${namespace}.live.${attempt}`;
}

/** What a provider calls back with, as it came. */
export function callbackSubject(namespace: string, provider: "mpesa"): string {
  return `${namespace}.callback.${provider}`;
}

export function deadSubject(namespace: string, consumer: string): string {
  return `${namespace}.dead.${consumer}`;
}

export function streamName(namespace: string, stream: StreamKey): string {
  return `${namespace}_${stream}`;
}
