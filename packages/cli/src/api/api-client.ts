import type { CursorPaging, Paging, Route, routes } from "@malipo/contracts";
import type { z } from "zod";
import { CommandError } from "../command-error.ts";
import { type ApiResponse, createUnreachableError, toCommandError } from "./api-errors.ts";
import type { Location } from "./location.ts";

/** Longer than the gateway waits for a service. */
const timeoutMs = 20_000;

interface CallInput<R extends Route> {
  readonly params?: Readonly<Record<keyof R["params"], string>>;
  /** Values as typed by the user. The API applies its defaults to absent ones. */
  readonly query?: { readonly [name in keyof z.input<R["query"]>]?: string | undefined };
  readonly body?: z.input<R["body"]>;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

export interface ApiResult<R extends Route> {
  readonly data: z.output<R["reply"]["data"]>;
  readonly message: string;
  readonly paging: R extends typeof routes.listEvents ? CursorPaging : Paging;
}

export interface ApiClient {
  /** Calls a route of the contract. Throws a `CommandError` with the API's text when it refuses. */
  call<R extends Route>(route: R, input?: CallInput<R>): Promise<ApiResult<R>>;
}

/** The location is looked up at the first call, so that a usage error needs no running system. */
export function createApiClient(findLocation: () => Location): ApiClient {
  return {
    call: async <R extends Route>(route: R, { params, query, body, signal }: CallInput<R> = {}) => {
      const location = findLocation();
      const url = `${location.url}${buildPath(route, params ?? {})}${buildQuery(query ?? {})}`;
      const response = await send(location, url, { method: route.method, body, signal });
      if (!response.ok || response.body["success"] !== true) {
        throw toCommandError(location, response);
      }
      const { data, message, [route.reply.paging ?? ""]: paging } = response.body;
      return { data, message, paging } as ApiResult<R>;
    },
  };
}

async function send(
  location: Location,
  url: string,
  { method, body, signal }: { method: string; body: unknown; signal: AbortSignal | undefined },
): Promise<ApiResponse> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${location.token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A redirect would send the token to another address.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return { ok: response.ok, status: response.status, body: parseObject(await response.text()) };
  } catch (error) {
    throw createUnreachableError(location, error);
  }
}

function buildPath(route: Route, params: Readonly<Record<string, string>>): string {
  return route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? "";
    // A URL parser removes "." and "..", even encoded, so such an id would reach another route.
    if (/^\.{1,2}$/.test(value)) {
      throw new CommandError("refused", `Invalid ${route.params[name] ?? name} ID.`);
    }
    return encodeURIComponent(value);
  });
}

function buildQuery(query: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  return present.length === 0 ? "" : `?${String(new URLSearchParams(present))}`;
}

/** Returns an empty object when the text is not a JSON object. */
function parseObject(text: string): ApiResponse["body"] {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
