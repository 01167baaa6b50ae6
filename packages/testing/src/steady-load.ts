import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";

const secondMs = 1_000;
const timeoutMs = 10_000;

export interface Sample {
  /** When the request was due, from the start of the load. */
  readonly atMs: number;
  readonly tookMs: number;
  /** Why it failed; undefined for a success. */
  readonly problem?: string;
}

export interface SteadyLoad {
  /** Sends no more, and resolves when all requests are answered. */
  stop(): Promise<readonly Sample[]>;
}

/**
 * Sends requests at a steady rate, also while earlier ones wait. The time of a request counts from the
 * moment it was due, so that a pause of the server is not hidden.
 */
export function startLoad(perSecond: number, send: (at: number) => Promise<unknown>): SteadyLoad {
  const beganMs = performance.now();
  const sent: Promise<Sample>[] = [];

  function sendDue(): void {
    const due = ((performance.now() - beganMs) / secondMs) * perSecond;
    while (sent.length < due) sent.push(measure(sent.length));
  }

  async function measure(at: number): Promise<Sample> {
    const atMs = (at / perSecond) * secondMs;
    const tookMs = () => performance.now() - beganMs - atMs;
    return send(at).then(
      () => ({ atMs, tookMs: tookMs() }),
      (error: unknown) => ({ atMs, tookMs: tookMs(), problem: String(error) }),
    );
  }

  const timer = setInterval(sendDue, secondMs / perSecond);
  return {
    stop: () => {
      clearInterval(timer);
      return Promise.all(sent);
    },
  };
}

export function p99Of(samples: readonly Sample[]): number {
  const sorted = samples.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
}

interface ClientRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * A client with an address of its own, such as 127.1.0.3 (on Linux every address of 127.0.0.0/8 is
 * this machine). Its requests fail unless the answer is a 200.
 */
export function clientFrom(address: string, url: string) {
  const agent = new Agent({ keepAlive: true, localAddress: address });
  return {
    send: async ({ method = "GET", path, headers = {}, body }: ClientRequest): Promise<void> => {
      const length = body === undefined ? {} : { "content-length": String(body.length) };
      const sent = request(url + path, {
        agent,
        method,
        headers: { ...headers, ...length },
        signal: AbortSignal.timeout(timeoutMs),
      });
      sent.end(body);
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      answer.resume();
      await once(answer, "end");
      if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode}`);
    },
    close: () => agent.destroy(),
  };
}
