import type { OperationName, Operations, ServiceName } from "@malipo/contracts";
import type { Fault, Result } from "@malipo/core";
import type { RouteHandler } from "./answer-request.ts";

/**
 * One handler for each route and call of a service's contract, under the name that it has there.
 * The compiler refuses a table in which one is missing or has the types of another route.
 */
export type HandlersOf<Service extends ServiceName, Deps> = {
  readonly [Name in OperationName<Service>]: (deps: Deps) => RouteHandler<Operations[Name]>;
};

/** The handlers of any contract, after `HandlersOf` has checked each against its own route. */
export type HandlerTable<Deps> = Readonly<
  Record<string, (deps: Deps) => (request: never) => Promise<Result<unknown, Fault>>>
>;

/** The contract says which operations there are, so one without a handler is a bug in the table. */
export function handlerOf<Deps>(
  handlers: HandlerTable<Deps>,
  name: string,
  deps: Deps,
): RouteHandler {
  const create = handlers[name];
  if (!create) throw new Error(`${name} is in the contract, but has no handler`);
  return create(deps) as RouteHandler;
}
