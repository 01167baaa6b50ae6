import type { Operation } from "./route.ts";
import type { StreamKey } from "./streams.ts";

/** The namespace keeps deployments apart that share one NATS: sandbox and live, or two tests. */
export function rpcSubject(
  namespace: string,
  { service, verb }: Pick<Operation, "service" | "verb">,
): string {
  return `${namespace}.rpc.${service}.${verb}`;
}

export function eventSubject(namespace: string, type: string): string {
  return `${namespace}.event.${type}`;
}

/** A word to everybody, remembered by nobody: who misses it learns of the matter a little later. */
export function signalSubject(namespace: string, about: "credentials"): string {
  return `${namespace}.signal.${about}`;
}

export function deadSubject(namespace: string, consumer: string): string {
  return `${namespace}.dead.${consumer}`;
}

export function streamName(namespace: string, stream: StreamKey): string {
  return `${namespace}_${stream}`;
}

/** The one header in which a request's context travels: reading eight costs more than the rest. */
export const contextHeader = "context";

/** What a service tells the gateway about its answer. */
export const replyHeaders = {
  status: "status",
  retryAfter: "retryafter",
  version: "version",
  policy: "policy",
  filename: "filename",
} as const;
