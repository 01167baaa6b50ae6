import type {
  BodyOf,
  Operation,
  OperationName,
  Operations,
  ParamsOf,
  QueryOf,
  ReplyOf,
  ServiceName,
} from "@malipo/contracts";
import type { Fault, Result } from "@malipo/core";
import type { Cause } from "../outbox/index.ts";

/** The validated input of a handler. */
export interface RouteRequest<O extends Operation = Operation> {
  readonly businessid: string;
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  /** The Accept-Language header of a page's visitor; empty if there is none. */
  readonly languages: string;
  /** The address of a page's visitor, as limits count it. An older gateway does not send it. */
  readonly client?: string | undefined;
  readonly cause: Cause;
  /** The caller stops waiting at this time. */
  readonly deadline: Date;
}

export type RouteHandler<O extends Operation = Operation> = (
  request: RouteRequest<O>,
) => Promise<Result<ReplyOf<O>, Fault>>;

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

/** Throws if an operation of the contract has no handler: the table was checked against another contract. */
export function handlerOf<Deps>(
  handlers: HandlerTable<Deps>,
  name: string,
  deps: Deps,
): RouteHandler {
  const create = handlers[name];
  if (!create) throw new Error(`${name} is in the contract, but has no handler`);
  return create(deps) as RouteHandler;
}
