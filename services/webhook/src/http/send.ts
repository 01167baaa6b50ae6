import { Agent, type Dispatcher, ProxyAgent } from "undici";
import type { Clock } from "@malipo/core";
import type { Answer } from "../domain/delivery.ts";
import { readRetryAfter } from "../domain/retry-schedule.ts";
import { Exchange, type RequestEnd } from "./exchange.ts";
import { createOpenRequests } from "./open-requests.ts";
import { Cancelled, problemOf, TimedOut } from "./problems.ts";
import { type ReceiverRules, receiverProblem } from "./receiver-url.ts";
import { guardedLookup, type Resolve } from "./resolver.ts";

const idleConnectionMs = 10_000;
const targetsMax = 5_000;

export interface SenderOptions extends ReceiverRules {
  readonly timeoutMs: number;
  readonly resolve: Resolve;
  readonly proxyUrl?: string | undefined;
  readonly clock: Clock;
  readonly uptimeMs: () => number;
}

interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Sender {
  send(message: Message): Promise<Answer>;
  /** Cancels all requests under way. */
  cancelAll(): void;
  close(): Promise<void>;
}

interface Target {
  readonly origin: string;
  readonly path: string;
  /** Why requests to it are refused. */
  readonly problem: string | undefined;
}

/** Sends to receivers outside our control. Neither their names nor their answers are trusted. */
export function createSender(options: SenderOptions): Sender {
  const dispatcher = dispatcherFor(options);
  const { timeoutMs, uptimeMs, clock } = options;
  const openRequests = createOpenRequests(timeoutMs, uptimeMs, () => new TimedOut(timeoutMs));
  const targetOf = createTargets(options);
  return {
    send: ({ url, headers, body }) => {
      const { origin, path, problem } = targetOf(url);
      if (problem !== undefined) return Promise.resolve({ status: null, problem, response: null });
      return new Promise((resolve) => {
        const exchange = new Exchange((end) => {
          openRequests.delete(exchange);
          resolve(answerOf(end, clock()));
        });
        openRequests.add(exchange);
        // This client does not follow redirects: they are answers like any other.
        dispatcher.dispatch({ origin, path, method: "POST", headers, body }, exchange);
      });
    },
    cancelAll: () => openRequests.cancelAll(new Cancelled()),
    // Connections that hang must not delay the stop.
    close: () => dispatcher.destroy(),
  };
}

function dispatcherFor({ proxyUrl, resolve, timeoutMs, ...rules }: SenderOptions): Dispatcher {
  const common = {
    keepAliveTimeout: idleConnectionMs,
    pipelining: 1,
    // One timer for all requests (open-requests.ts) is cheaper than two per request.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (proxyUrl !== undefined) return new ProxyAgent({ uri: proxyUrl, ...common });
  const lookup = guardedLookup(resolve, rules);
  return new Agent({
    ...common,
    connect: { lookup, timeout: timeoutMs, autoSelectFamily: true },
  });
}

/** Parses and checks each URL once for many requests. */
function createTargets(rules: ReceiverRules): (url: string) => Target {
  const targets = new Map<string, Target>();
  return (url) => {
    const known = targets.get(url);
    if (known) return known;
    const parsed = new URL(url);
    const problem = receiverProblem(parsed, rules);
    const target = {
      origin: parsed.origin,
      path: parsed.pathname + parsed.search,
      problem: problem && `the address ${problem}`,
    };
    if (targets.size >= targetsMax) targets.clear();
    targets.set(url, target);
    return target;
  };
}

function answerOf(ended: RequestEnd, now: Date): Answer {
  if (ended.status === null) {
    const answer = { status: null, problem: problemOf(ended.error), response: null };
    return ended.error instanceof Cancelled ? { ...answer, isInterrupted: true } : answer;
  }
  const { status, retryAfter, response } = ended;
  const isSuccess = status >= 200 && status < 300;
  return {
    status,
    problem: isSuccess ? null : `answered ${status}`,
    response,
    retryAfterMs: readRetryAfter(retryAfter, now),
  };
}
