import type { FaultCode } from "@malipo/core";
import { z } from "zod";
import type { Paging } from "./fields.ts";

export const serviceNames = ["gateway", "invoice"] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Who may call: businesses with a secret, operators on their own port, anybody with a browser. */
export type Audience = "public" | "operator" | "page";

/** Which limits count a request: the plan's windows, with or without an own one beside them. */
export type RateClass = "plan" | "product-list" | "product-details" | "none";

/** The field that carries a refusal's text. */
export type ErrorField = "message" | "error";

interface RouteReply<Data extends z.ZodType> {
  readonly status: 200 | 201;
  /** What the body's `message` says, where the interface has one. */
  readonly message?: string;
  readonly data: Data;
  /** The name of the paging object, on lists. */
  readonly paging?: "meta" | "pagination";
}

/** One endpoint: the gateway's route, the subject, the handler's types and the documentation. */
export interface Route<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Param extends string = string,
> {
  readonly audience: Audience;
  readonly service: ServiceName;
  /** Unique within its service; also the last word of the subject and the handler's file name. */
  readonly verb: string;
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly summary: string;
  readonly errorField: ErrorField;
  readonly rateClass: RateClass;
  /** Path parameter → the noun of "Invalid <noun> ID". */
  readonly params: { readonly [name in Param]: string };
  readonly query: Query;
  readonly body: Body;
  readonly reply: RouteReply<Data>;
  /** What it may refuse of its own accord, beside what any request of its kind may meet. */
  readonly refusals: readonly FaultCode[];
}

const nothing = z.unknown().transform(() => undefined);
type Nothing = typeof nothing;

type RouteSpec<Q extends z.ZodType, B extends z.ZodType, D extends z.ZodType, P extends string> =
  // Only what is usual may be left out; who may call and what counts is always written down.
  Omit<Route<Q, B, D, P>, "params" | "query" | "body" | "errorField" | "refusals"> & {
    readonly params?: { readonly [name in P]: string };
    readonly query?: Q;
    readonly body?: B;
    readonly errorField?: ErrorField;
    readonly refusals?: readonly FaultCode[];
  };

export function route<
  Data extends z.ZodType,
  Query extends z.ZodType = Nothing,
  Body extends z.ZodType = Nothing,
  Param extends string = never,
>(spec: RouteSpec<Query, Body, Data, Param>): Route<Query, Body, Data, Param> {
  return {
    errorField: "error",
    params: {} as Route<Query, Body, Data, Param>["params"],
    query: nothing as unknown as Query,
    body: nothing as unknown as Body,
    refusals: [],
    ...spec,
  };
}

export function takesBody(route: Route): boolean {
  return route.body !== nothing;
}

export function takesQuery(route: Route): boolean {
  return route.query !== nothing;
}

export type QueryOf<R extends Route> = z.output<R["query"]>;
export type BodyOf<R extends Route> = z.output<R["body"]>;
export type ParamsOf<R extends Route> = { readonly [name in keyof R["params"]]: string };

/** What a handler answers; the envelope around it is written in one place. */
export interface ReplyOf<R extends Route> {
  readonly data: z.input<R["reply"]["data"]>;
  readonly paging?: Paging;
}
