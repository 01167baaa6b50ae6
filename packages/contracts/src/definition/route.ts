import type { FaultCode } from "@malipo/core";
import type { z } from "zod";
import { type ErrorField, noContent, type NoContent, type Operation } from "./operation.ts";
import type { ServiceName } from "./service-name.ts";

/** Who may call: businesses with a secret, operators on their own port, anybody with a browser. */
export type Audience = "public" | "operator" | "page";

/** Which limits count a request: the plan's windows, with or without an own one beside them. */
export type RateClass = "plan" | "product-list" | "product-details" | "none";

/** One endpoint: the gateway's route, the subject, the handler's types and the documentation. */
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
  /** How long its caller waits, where that is longer than usual: a provider takes its time. */
  readonly timeoutMs?: number;
}

type RouteSpec<
  Q extends z.ZodType,
  B extends z.ZodType,
  D extends z.ZodType,
  P extends string,
  S extends ServiceName,
> =
  // Only what is usual may be left out; who may call and what counts is always written down.
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
