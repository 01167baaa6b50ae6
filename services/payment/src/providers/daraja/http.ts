import { secondMs } from "@malipo/core";
import { Agent, request } from "undici";
import type { RawAnswer } from "./translate.ts";

/** Larger than any answer of the provider. The rest is not read. */
const bodyMaxBytes = 64 * 1024;

export type Exchange =
  | ({ readonly kind: "answered" } & RawAnswer)
  /** No byte of the request was sent. */
  | { readonly kind: "not sent"; readonly details: string }
  | { readonly kind: "unanswered"; readonly details: string };

export interface Http {
  send(call: {
    readonly method: "GET" | "POST";
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly timeoutMs: number;
  }): Promise<Exchange>;
  close(): Promise<void>;
}

/**
 * Opens one pool of connections. Idle connections are closed before the provider closes them, so that no
 * request is sent on a closing connection.
 */
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
    async send({ method, url, headers, body, timeoutMs }) {
      const signal = AbortSignal.timeout(Math.max(1, Math.floor(timeoutMs)));
      try {
        const answer = await request(url, {
          method,
          headers,
          ...(body !== undefined && { body }),
          dispatcher: agent,
          signal,
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        const text = await readBounded(answer.body);
        return { kind: "answered", status: answer.statusCode, text };
      } catch (error) {
        return { kind: isNotSent(error) ? "not sent" : "unanswered", details: codeOf(error) };
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

/** These errors happen before there is a connection, so nothing was sent. */
const connectErrors = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

function isNotSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { syscall, errors } = error as { syscall?: unknown; errors?: readonly unknown[] };
  // The name has several addresses, and each of them failed.
  if (errors !== undefined && errors.length > 0) return errors.every(isNotSent);
  return syscall === "connect" || syscall === "getaddrinfo" || connectErrors.has(codeOf(error));
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.name === "TimeoutError") return "no answer in time";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name;
}
