import type { Operation } from "../definition/operation.ts";
import type { ServiceName } from "../definition/service-name.ts";
import { calls } from "./calls.ts";
import { routes } from "./routes.ts";

/** All operations of all services: routes for callers outside, calls between services. */
const operations = { ...routes, ...calls } as const;
export type Operations = typeof operations;

/** The names of a service's operations. The service needs a handler of each name. */
export type OperationName<Service extends ServiceName> = {
  [Name in keyof Operations]: Operations[Name]["service"] extends Service ? Name : never;
}[keyof Operations];

/** A service's operations by name. */
export function operationsOf(service: ServiceName): Readonly<Record<string, Operation>> {
  const all: readonly [string, Operation][] = Object.entries(operations);
  return Object.fromEntries(all.filter(([, operation]) => operation.service === service));
}
