import type { Operation } from "../definition/operation.ts";
import type { ServiceName } from "../definition/service-name.ts";
import { calls } from "./calls.ts";
import { routes } from "./routes.ts";

/** Everything that services answer: routes from outside, calls from each other. */
const operations = { ...routes, ...calls } as const;
export type Operations = typeof operations;

/** The names of the routes and calls that a service answers: each needs a handler of that name. */
export type OperationName<Service extends ServiceName> = {
  [Name in keyof Operations]: Operations[Name]["service"] extends Service ? Name : never;
}[keyof Operations];

/** The routes and calls that a service answers, by name. */
export function operationsOf(service: ServiceName): Readonly<Record<string, Operation>> {
  const all: readonly [string, Operation][] = Object.entries(operations);
  return Object.fromEntries(all.filter(([, operation]) => operation.service === service));
}
