import { secondMs } from "@malipo/core";
import { Agent, request } from "undici";
import type { RawAnswer } from "./translate.ts";

/** More than the provider ever says; the rest is not read. */
const bodyMaxBytes = 64 * 1024;

export type Exchange =
  | ({ readonly kind: "answered" } & RawAnswer)
  /** Not a byte of it left. */
  | { readonly kind: "not sent"; readonly details: string }
  | { readonly kind: "unanswered"; readonly details: string };

export interface Http {
  send(call: {
    readonly method: "GET" | "POST";
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly patienceMs: number;
  }): Promise<Exchange>;
  close(): Promise<void>;
}

/** One pool of connections that are given up before the other side does: a request must not meet a dying one. */
export function openHttp(): Http {
  const agent = new Agent({
    connections: 128,
    pipelining: 1,
    connect: { timeout: 5 * secondMs },
    keepAliveTimeout: 4 * secondMs,
    keepAliveMaxTimeout: 30 * secondMs,
    keepAliveTimeoutThreshold: secondMs,
  });
  return {
    async send({ method, url, headers, body, patienceMs }) {
      const giveUp = AbortSignal.timeout(Math.max(1, Math.floor(patienceMs)));
      try {
        const answer = await request(url, {
          method,
          headers,
          ...(body !== undefined && { body }),
          dispatcher: agent,
          signal: giveUp,
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        const text = await readBounded(answer.body);
        return { kind: "answered", status: answer.statusCode, text };
      } catch (error) {
        return { kind: neverLeft(error) ? "not sent" : "unanswered", details: codeOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length > bodyMaxBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, bodyMaxBytes).toString();
}

/** Found while connecting: nothing can have been sent over what was no connection yet. */
const foundWhileConnecting = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

function neverLeft(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { syscall, errors } = error as { syscall?: unknown; errors?: readonly unknown[] };
  // Every address of the name was tried.
  if (errors !== undefined && errors.length > 0) return errors.every(neverLeft);
  return (
    syscall === "connect" || syscall === "getaddrinfo" || foundWhileConnecting.has(codeOf(error))
  );
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.name === "TimeoutError") return "no answer in time";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name;
}
