import type { CursorPaging, Paging, Route, routes } from "@malipo/contracts";
import type { z } from "zod";
import { failureOf, type Parsed, unreachable } from "./api-errors.ts";
import type { Location } from "./location.ts";
import { Problem } from "../command-error.ts";

/** Longer than the gateway itself waits for a service. */
const patienceMs = 20_000;

interface Asked<R extends Route> {
  readonly params?: Readonly<Record<keyof R["params"], string>>;
  /** As it was typed; what is left out gets the API's default. */
  readonly query?: { readonly [name in keyof z.input<R["query"]>]?: string | undefined };
  readonly body?: z.input<R["body"]>;
  /** Breaks it off. */
  readonly signal?: AbortSignal;
}

export interface Answer<R extends Route> {
  readonly data: z.output<R["reply"]["data"]>;
  readonly message: string;
  readonly paging: R extends typeof routes.listEvents ? CursorPaging : Paging;
}

/** Asks what a contract's entry describes. A refusal ends the command with the API's own words. */
export interface Api {
  ask<R extends Route>(route: R, asked?: Asked<R>): Promise<Answer<R>>;
}

/** Where the system is, is asked only when something is asked of it: bad usage needs no system. */
export function createApi(locate: () => Location): Api {
  return {
    ask: async <R extends Route>(route: R, { params, query, body, signal }: Asked<R> = {}) => {
      const location = locate();
      const url = `${location.url}${pathOf(route, params ?? {})}${queryOf(query ?? {})}`;
      const answer = await send(location, url, { method: route.method, body, signal });
      if (!answer.ok || answer.body["success"] !== true) throw failureOf(location, answer);
      const { data, message, [route.reply.paging ?? ""]: paging } = answer.body;
      return { data, message, paging } as Answer<R>;
    },
  };
}

async function send(
  location: Location,
  url: string,
  { method, body, signal }: { method: string; body: unknown; signal: AbortSignal | undefined },
): Promise<Parsed> {
  const patience = AbortSignal.timeout(patienceMs);
  try {
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${location.token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // The token is for this address alone.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
    return { ok: answer.ok, status: answer.status, body: parsed(await answer.text()) };
  } catch (error) {
    throw unreachable(location, error);
  }
}

function pathOf(route: Route, params: Readonly<Record<string, string>>): string {
  return route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? "";
    // An address would take dots for a way up, even encoded; the API never saw them.
    if (/^\.{1,2}$/.test(value)) {
      throw new Problem("refused", `Invalid ${route.params[name] ?? name} ID.`);
    }
    return encodeURIComponent(value);
  });
}

function queryOf(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  return given.length === 0 ? "" : `?${String(new URLSearchParams(given))}`;
}

function parsed(text: string): Parsed["body"] {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
