import type { ServiceName } from "./service-name.ts";

/** A service, operators (`ops`), or the user of NATS's system account (`sys`). */
export type NatsUserName = ServiceName | "ops" | "sys";

export function natsUserName(namespace: string, of: NatsUserName): string {
  return `${namespace}-${of}`;
}
