import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { readRetryAfter } from "../domain/retry-schedule.ts";
import { type Ended, Exchange } from "./exchange.ts";
import { BrokenOff, problemOf, TooLate } from "./problems.ts";
import { type ReceiverRules, receiverProblem } from "./receiver-url.ts";
import { guardedLookup, type Resolve } from "./resolver.ts";
import { createUnderWay } from "./open-requests.ts";

const idleConnectionMs = 10_000;
const targetsMax = 5_000;

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
  send(message: Message): Promise<Answer>;
  /** Ends all that is under way. */
  breakOff(): void;
  close(): Promise<void>;
}

interface Target {
  readonly origin: string;
  readonly path: string;
  /** Why nothing may be sent there. */
  readonly problem: string | undefined;
}

/** Sends to receivers that nobody of ours has ever seen: nothing they name or answer is trusted. */
export function createSender(options: SenderOptions): Sender {
  const dispatcher = dispatcherFor(options);
  const underWay = createUnderWay(options.timeoutMs, () => new TooLate(options.timeoutMs));
  const targetOf = createTargets(options);
  return {
    send: ({ url, headers, body }) => {
      const { origin, path, problem } = targetOf(url);
      if (problem !== undefined) return Promise.resolve({ status: null, problem, response: null });
      return new Promise((resolve) => {
        const exchange = new Exchange((ended) => {
          underWay.delete(exchange);
          resolve(answerOf(ended));
        });
        underWay.add(exchange);
        // Redirects are answers like any other: this client does not follow them.
        dispatcher.dispatch({ origin, path, method: "POST", headers, body }, exchange);
      });
    },
    breakOff: () => underWay.breakOff(new BrokenOff()),
    // Nobody waits for what hangs there.
    close: () => dispatcher.destroy(),
  };
}

function dispatcherFor({ proxyUrl, resolve, timeoutMs, ...rules }: SenderOptions): Dispatcher {
  const common = {
    keepAliveTimeout: idleConnectionMs,
    pipelining: 1,
    // One watch is kept over all that is under way; the client need not keep its own over each.
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

/** An address is taken apart and judged once for many requests. */
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

function answerOf(ended: Ended): Answer {
  if (ended.status === null) {
    const answer = { status: null, problem: problemOf(ended.error), response: null };
    return ended.error instanceof BrokenOff ? { ...answer, interrupted: true } : answer;
  }
  const { status, retryAfter, response } = ended;
  const isSuccess = status >= 200 && status < 300;
  return {
    status,
    problem: isSuccess ? null : `answered ${status}`,
    response,
    retryAfterMs: readRetryAfter(retryAfter, new Date()),
  };
}
