import type { FaultCode } from "@malipo/core";
import { z } from "zod";
import type { CursorPaging, OffsetPaging, Paging } from "./fields.ts";

export const serviceNames = [
  "gateway",
  "invoice",
  "payment",
  "subscription",
  "webhook",
  "scheduler",
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Who may call: businesses with a secret, operators on their own port, anybody with a browser. */
export type Audience = "public" | "operator" | "page";

/** Which limits count a request: the plan's windows, with or without an own one beside them. */
export type RateClass = "plan" | "product-list" | "product-details" | "none";

/** The field that carries a refusal's text. */
export type ErrorField = "message" | "error";

/** What a service answers on a subject of its own, whoever asks. */
export interface Operation<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Param extends string = string,
  Service extends ServiceName = ServiceName,
> {
  readonly service: Service;
  /** Unique within its service; also the last word of the subject. */
  readonly verb: string;
  /** GET only reads, so that it may simply be asked again. */
  readonly method: "GET" | "POST" | "PATCH";
  /** A GET that makes something all the same: the interface has one. */
  readonly creates?: true;
  readonly errorField: ErrorField;
  /** Path parameter → the noun of "Invalid <noun> ID". */
  readonly params: { readonly [name in Param]: string };
  /** How the parameters look that are no ids; what looks otherwise is simply not found. */
  readonly codes?: { readonly [name in Param]: RegExp };
  readonly query: Query;
  readonly body: Body;
  readonly reply: OperationReply<Data>;
  /** It is answered also while the service's store is away. */
  readonly worksWithoutStore?: true;
  /** What it may refuse of its own accord, beside what any request of its kind may meet. */
  readonly refusals: readonly FaultCode[];
}

interface OperationReply<Data extends z.ZodType> {
  readonly status: 200 | 201;
  /** What the body's `message` says, where the interface has one. */
  readonly message?: string;
  readonly data: Data;
  /** The name of the paging object, on lists. */
  readonly paging?: "meta" | "pagination";
  /** What the bytes are that take the place of the JSON envelope. */
  readonly media?: PageMedia;
  /** For how long anybody may keep those bytes without asking again; not at all unless said. */
  readonly maxAgeSeconds?: number;
  /** Of the paging object, where it is not the one of numbered pages. */
  readonly pagingShape?: z.ZodType;
}

export type PageMedia =
  | "text/html; charset=utf-8"
  | "application/pdf"
  | "image/png"
  | "image/svg+xml";

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
  readonly patienceMs?: number;
}

export const nothing = z.unknown().transform(() => undefined);
export type Nothing = typeof nothing;

type RouteSpec<
  Q extends z.ZodType,
  B extends z.ZodType,
  D extends z.ZodType,
  P extends string,
  S extends ServiceName,
> =
  // Only what is usual may be left out; who may call and what counts is always written down.
  Omit<Route<Q, B, D, P, S>, "params" | "query" | "body" | "errorField" | "refusals"> & {
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
  Service extends ServiceName = ServiceName,
>(spec: RouteSpec<Query, Body, Data, Param, Service>): Route<Query, Body, Data, Param, Service> {
  return {
    errorField: "error",
    params: {} as Route<Query, Body, Data, Param>["params"],
    query: nothing as unknown as Query,
    body: nothing as unknown as Body,
    refusals: [],
    ...spec,
  };
}

/** Whether it leaves a trace, so that its caller may want it done only once. */
export function isChange({ method, creates }: Pick<Operation, "method" | "creates">): boolean {
  return method !== "GET" || creates === true;
}

export function takesBody(operation: Operation): boolean {
  return operation.body !== nothing;
}

export function takesQuery(operation: Operation): boolean {
  return operation.query !== nothing;
}

export type QueryOf<O extends Operation> = z.output<O["query"]>;
export type BodyOf<O extends Operation> = z.output<O["body"]>;
export type ParamsOf<O extends Operation> = { readonly [name in keyof O["params"]]: string };

/** What a handler answers; the envelope around it is written in one place. */
export type ReplyOf<O extends Operation> = O["reply"] extends { readonly media: PageMedia }
  ? PageReply
  : {
      readonly data: z.input<O["reply"]["data"]>;
      readonly paging?: Paging | CursorPaging | OffsetPaging;
    };

/** What a handler of finished bytes answers. */
export interface PageReply extends PageHeaders {
  readonly bytes: Uint8Array | string;
}

export interface PageHeaders {
  /** What changes whenever the bytes do: letters, digits and dashes. */
  readonly version?: string | undefined;
  /** Its Content-Security-Policy; without one a page may use nothing at all. */
  readonly policy?: string | undefined;
  /** How the file is called that somebody makes of it: letters, digits, dots and dashes. */
  readonly filename?: string | undefined;
}
