import type { z } from "zod";
import { noContent, type NoContent, type Operation, type PageMedia } from "./operation.ts";
import type { Route } from "./route.ts";
import type { ServiceName } from "./service-name.ts";

/** A public page or file, sent as bytes to any browser that has its address. */
export type Page<
  Query extends z.ZodType = NoContent,
  Service extends ServiceName = ServiceName,
> = Route<Query, NoContent, NoContent, "code", Service> & {
  readonly reply: { readonly media: PageMedia };
};

interface PageSpec<Query extends z.ZodType, Service extends ServiceName> {
  readonly service: Service;
  readonly verb: string;
  /** Contains `:code`. */
  readonly path: string;
  readonly summary: string;
  /** The record that the code names, as in "<Noun> not found". */
  readonly noun: string;
  readonly code: RegExp;
  readonly media: PageMedia;
  readonly maxAgeSeconds?: number;
  readonly query?: Query;
}

export function page<
  Query extends z.ZodType = NoContent,
  Service extends ServiceName = ServiceName,
>({
  noun,
  code,
  media,
  maxAgeSeconds = 0,
  query = noContent as unknown as Query,
  ...spec
}: PageSpec<Query, Service>): Page<Query, Service> {
  return {
    ...spec,
    audience: "page",
    method: "GET",
    errorField: "error",
    rateClass: "none",
    params: { code: noun },
    paramPatterns: { code },
    query,
    body: noContent,
    reply: { status: 200, data: noContent, media, maxAgeSeconds },
    faultCodes: ["not_found"],
  };
}

export function isPage({ reply }: Operation): boolean {
  return reply.media !== undefined;
}
