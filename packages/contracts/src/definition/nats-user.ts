import type { ServiceName } from "./service-name.ts";

export type NatsUserName = ServiceName | "ops";

export function natsUserName(namespace: string, of: NatsUserName): string {
  return `${namespace}-${of}`;
}
