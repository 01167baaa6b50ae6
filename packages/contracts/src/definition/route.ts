import type { FaultCode } from "@malipo/core";
import type { z } from "zod";
import { type ErrorField, noContent, type NoContent, type Operation } from "./operation.ts";
import type { ServiceName } from "./service-name.ts";

/**
 * The callers of a route: `public` businesses with a secret, `operator` on the operators' own port,
 * `page` any browser that has the address.
 */
export type Audience = "public" | "operator" | "page";

/** The rate limits that count a request: the plan's, for some routes with their own beside them. */
export type RateClass = "plan" | "product-list" | "product-details" | "none";

/** One HTTP endpoint. The gateway's route, the subject, the handler's types and the reference follow from it. */
export interface Route<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Param extends string = string,
  Service extends ServiceName = ServiceName,
> extends Operation<Query, Body, Data, Param, Service> {
  readonly audience: Audience;
  readonly path: string;
  readonly summary: string;
  readonly rateClass: RateClass;
  /** The deadline of a request, if the default is too short because a provider is called. */
  readonly timeoutMs?: number;
}

type RouteSpec<
  Q extends z.ZodType,
  B extends z.ZodType,
  D extends z.ZodType,
  P extends string,
  S extends ServiceName,
> =
  // Only fields with a default are optional. Audience and rate class are always explicit.
  Omit<Route<Q, B, D, P, S>, "params" | "query" | "body" | "errorField" | "faultCodes"> & {
    readonly params?: { readonly [name in P]: string };
    readonly query?: Q;
    readonly body?: B;
    readonly errorField?: ErrorField;
    readonly faultCodes?: readonly FaultCode[];
  };

export function route<
  Data extends z.ZodType,
  Query extends z.ZodType = NoContent,
  Body extends z.ZodType = NoContent,
  Param extends string = never,
  Service extends ServiceName = ServiceName,
>(spec: RouteSpec<Query, Body, Data, Param, Service>): Route<Query, Body, Data, Param, Service> {
  return {
    errorField: "error",
    params: {} as Route<Query, Body, Data, Param>["params"],
    query: noContent as unknown as Query,
    body: noContent as unknown as Body,
    faultCodes: [],
    ...spec,
  };
}
