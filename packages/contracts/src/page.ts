import { type PageMedia, nothing, type Nothing, type Operation, type Route } from "./route.ts";
import type { ServiceName } from "./route.ts";
import type { z } from "zod";

/** A page: what anybody may see who has its address, as finished bytes. */
export type Page<
  Query extends z.ZodType = Nothing,
  Service extends ServiceName = ServiceName,
> = Route<Query, Nothing, Nothing, "code", Service> & {
  readonly reply: { readonly media: PageMedia };
};

interface PageSpec<Query extends z.ZodType, Service extends ServiceName> {
  readonly service: Service;
  readonly verb: string;
  /** With `:code` in it. */
  readonly path: string;
  readonly summary: string;
  /** What the code names, as in "<Noun> not found". */
  readonly noun: string;
  readonly code: RegExp;
  readonly media: PageMedia;
  readonly maxAgeSeconds?: number;
  readonly query?: Query;
}

export function page<Query extends z.ZodType = Nothing, Service extends ServiceName = ServiceName>({
  noun,
  code,
  media,
  maxAgeSeconds = 0,
  query = nothing as unknown as Query,
  ...spec
}: PageSpec<Query, Service>): Page<Query, Service> {
  return {
    ...spec,
    audience: "page",
    method: "GET",
    errorField: "error",
    rateClass: "none",
    params: { code: noun },
    codes: { code },
    query,
    body: nothing,
    reply: { status: 200, data: nothing, media, maxAgeSeconds },
    refusals: ["not_found"],
  };
}

export function isPage({ reply }: Operation): boolean {
  return reply.media !== undefined;
}
