import type { FaultCode } from "@malipo/core";
import { z } from "zod";
import type { CursorPaging, OffsetPaging, Paging } from "./paging.ts";
import type { ServiceName } from "./service-name.ts";

/** The field of a failure body that carries the text. */
export type ErrorField = "message" | "error";

/** The schema of a query, body or reply that carries nothing: it drops any input. */
export const noContent = z.unknown().transform(() => undefined);
export type NoContent = typeof noContent;

/** A request that a service answers on its own subject. Routes and calls extend it. */
export interface Operation<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Param extends string = string,
  Service extends ServiceName = ServiceName,
> {
  readonly service: Service;
  /** Unique within its service; also the last token of the subject. */
  readonly verb: string;
  /** A GET only reads, so a caller may repeat it. */
  readonly method: "GET" | "POST" | "PATCH";
  /** Marks a GET that creates a record. The public interface has one. */
  readonly creates?: true;
  readonly errorField: ErrorField;
  /** Path parameter → the noun of "Invalid <noun> ID". */
  readonly params: { readonly [name in Param]: string };
  /** Patterns of path parameters that are not ids. A value that does not match is answered with 404. */
  readonly paramPatterns?: { readonly [name in Param]: RegExp };
  readonly query: Query;
  readonly body: Body;
  readonly reply: OperationReply<Data>;
  /** The service answers it while its database is unreachable, too. */
  readonly worksWithoutStore?: true;
  /** The fault codes that only this operation answers, beside those of every request of its kind. */
  readonly faultCodes: readonly FaultCode[];
}

interface OperationReply<Data extends z.ZodType> {
  readonly status: 200 | 201;
  /** The text of the body's `message` field, if the interface has one. */
  readonly message?: string;
  readonly data: Data;
  /** The field name of a list's paging object. */
  readonly paging?: "meta" | "pagination";
  /** The media type of a reply that is sent as bytes, without the JSON envelope. */
  readonly media?: PageMedia;
  /** How long clients and proxies may cache those bytes; 0 if it is left out. */
  readonly maxAgeSeconds?: number;
  /** The schema of the paging object; numbered pages if it is left out. */
  readonly pagingSchema?: z.ZodType;
}

export type PageMedia =
  | "text/html; charset=utf-8"
  | "application/pdf"
  | "image/png"
  | "image/svg+xml";

/** A write may need an idempotency key; a read does not. */
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

/** The value that a handler returns. The platform writes the envelope around it. */
export type ReplyOf<O extends Operation> = O["reply"] extends { readonly media: PageMedia }
  ? PageReply
  : {
      readonly data: z.input<O["reply"]["data"]>;
      readonly paging?: Paging | CursorPaging | OffsetPaging;
    };

/** The value that the handler of a page returns. */
export interface PageReply extends PageHeaders {
  readonly bytes: Uint8Array | string;
}

export interface PageHeaders {
  /** The ETag of the bytes: letters, digits and dashes. */
  readonly version?: string | undefined;
  /** The Content-Security-Policy. Without one the page may load nothing. */
  readonly policy?: string | undefined;
  /** The name of the file when a visitor saves it: letters, digits, dots and dashes. */
  readonly filename?: string | undefined;
}
