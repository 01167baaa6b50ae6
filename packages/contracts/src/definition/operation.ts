import type { FaultCode } from "@malipo/core";
import { z } from "zod";
import type { CursorPaging, OffsetPaging, Paging } from "./paging.ts";
import type { ServiceName } from "./service-name.ts";

/** The field that carries a refusal's text. */
export type ErrorField = "message" | "error";

export const noContent = z.unknown().transform(() => undefined);
export type NoContent = typeof noContent;

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
  readonly paramPatterns?: { readonly [name in Param]: RegExp };
  readonly query: Query;
  readonly body: Body;
  readonly reply: OperationReply<Data>;
  /** It is answered also while the service's store is away. */
  readonly worksWithoutStore?: true;
  /** What it may refuse of its own accord, beside what any request of its kind may meet. */
  readonly faultCodes: readonly FaultCode[];
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
  readonly pagingSchema?: z.ZodType;
}

export type PageMedia =
  | "text/html; charset=utf-8"
  | "application/pdf"
  | "image/png"
  | "image/svg+xml";

/** Whether it leaves a trace, so that its caller may want it done only once. */
export function isWrite({ method, creates }: Pick<Operation, "method" | "creates">): boolean {
  return method !== "GET" || creates === true;
}

export function takesBody(operation: Operation): boolean {
  return operation.body !== noContent;
}

export function takesQuery(operation: Operation): boolean {
  return operation.query !== noContent;
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
