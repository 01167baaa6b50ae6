import { Agent, type Dispatcher, ProxyAgent, request } from "undici";
import { readRetryAfter } from "../schedule.ts";
import { type ReceiverRules, receiverProblem } from "./receiver-url.ts";
import { AddressRefused, guardedLookup, type Resolve } from "./resolver.ts";

const responseMaxBytes = 16 * 1_024;
const idleConnectionMs = 10_000;

export interface SenderOptions extends ReceiverRules {
  readonly timeoutMs: number;
  readonly resolve: Resolve;
  readonly proxyUrl?: string | undefined;
}

interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came back, if anything did. */
export interface Answer {
  readonly status: number | null;
  /** Why it is no success; null if it is one. */
  readonly problem: string | null;
  readonly response: string | null;
  readonly retryAfterMs?: number | undefined;
  /** We broke it off ourselves: it says nothing about the receiver. */
  readonly interrupted?: true;
}

export interface Sender {
  send(message: Message, stop: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** Sends to receivers that nobody of ours has ever seen: nothing they name or answer is trusted. */
export function createSender(options: SenderOptions): Sender {
  const dispatcher = dispatcherFor(options);
  return {
    send: async (message, stop) => {
      const problem = receiverProblem(new URL(message.url), options);
      if (problem) return { status: null, problem: `the address ${problem}`, response: null };
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), options.timeoutMs);
      const breakOff = () => timeout.abort();
      stop.addEventListener("abort", breakOff);
      try {
        return await exchange(dispatcher, message, timeout.signal);
      } catch (error) {
        if (stop.aborted) return interrupted;
        return { status: null, problem: problemOf(error, timeout.signal, options), response: null };
      } finally {
        clearTimeout(timer);
        stop.removeEventListener("abort", breakOff);
      }
    },
    // Nobody waits for what hangs there.
    close: () => dispatcher.destroy(),
  };
}

const interrupted: Answer = {
  status: null,
  problem: "broken off by a restart of ours",
  response: null,
  interrupted: true,
};

function dispatcherFor({ proxyUrl, resolve, timeoutMs, ...rules }: SenderOptions): Dispatcher {
  const common = { keepAliveTimeout: idleConnectionMs, pipelining: 1 };
  if (proxyUrl !== undefined) return new ProxyAgent({ uri: proxyUrl, ...common });
  const lookup = guardedLookup(resolve, rules);
  return new Agent({
    ...common,
    connect: { lookup, timeout: timeoutMs, autoSelectFamily: true },
  });
}

async function exchange(
  dispatcher: Dispatcher,
  { url, headers, body }: Message,
  signal: AbortSignal,
): Promise<Answer> {
  // Redirects are answers like any other: this client does not follow them.
  const answer = await request(url, { method: "POST", headers, body, signal, dispatcher });
  const status = answer.statusCode;
  const isSuccess = status >= 200 && status < 300;
  return {
    status,
    problem: isSuccess ? null : `answered ${status}`,
    // A receiver that took the event and then stumbled over its own answer has taken it.
    response: await readSome(answer.body).catch(() => null),
    retryAfterMs: readRetryAfter(lastOf(answer.headers["retry-after"]), new Date()),
  };
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.at(-1) : header;
}

async function readSome(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop closes the connection: who talks on talks to nobody.
    if (bytes >= responseMaxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, responseMaxBytes).toString("utf8");
}

/** In words for the receiver's owner; they must not learn from it what there is in our networks. */
function problemOf(error: unknown, signal: AbortSignal, { timeoutMs }: SenderOptions): string {
  if (signal.aborted) return `no answer within ${timeoutMs / 1_000} seconds`;
  const code = codeOf(error);
  if (code === undefined) return "the connection failed";
  return problems[code] ?? (isTls(code) ? "the certificate is not valid" : "the connection failed");
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AddressRefused) return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause === undefined ? undefined : codeOf(error.cause);
}

const problems: Readonly<Record<string, string>> = {
  ADDRESS_REFUSED: "the name has no public address",
  ENOTFOUND: "the name is not known",
  ENODATA: "the name is not known",
  ETIMEOUT: "the name could not be looked up",
  ESERVFAIL: "the name could not be looked up",
  EREFUSED: "the name could not be looked up",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
};

function isTls(code: string): boolean {
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code);
}
