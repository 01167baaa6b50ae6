import { type PageMedia, nothing, type Nothing, type Operation, type Route } from "./route.ts";
import type { ServiceName } from "./route.ts";

/** A page: what anybody may see who has its address, as finished bytes. */
export type Page = Route<Nothing, Nothing, Nothing, "code"> & {
  readonly reply: { readonly media: PageMedia };
};

interface PageSpec {
  readonly service: ServiceName;
  readonly verb: string;
  /** With `:code` in it. */
  readonly path: string;
  readonly summary: string;
  /** What the code names, as in "<Noun> not found". */
  readonly noun: string;
  readonly code: RegExp;
  readonly media: PageMedia;
  readonly maxAgeSeconds?: number;
}

export function page({ noun, code, media, maxAgeSeconds = 0, ...spec }: PageSpec): Page {
  return {
    ...spec,
    audience: "page",
    method: "GET",
    errorField: "error",
    rateClass: "none",
    params: { code: noun },
    codes: { code },
    query: nothing,
    body: nothing,
    reply: { status: 200, data: nothing, media, maxAgeSeconds },
    refusals: ["not_found"],
  };
}

export function isPage({ reply }: Operation): boolean {
  return reply.media !== undefined;
}
