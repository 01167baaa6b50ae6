import type { Processes } from "../processes.ts";

export type WrkResult = {
  readonly operations: number;
  readonly elapsedMs: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number };
};

export type WrkRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** A Lua file that creates the requests, when they differ. */
  readonly script?: string;
};

const graceMs = 20_000;

/** Sends load to one URL with wrk; an answer other than 2xx or 3xx ends the benchmark. */
export async function runWrk(processes: Processes, request: WrkRequest): Promise<WrkResult> {
  const headers = Object.entries(request.headers).flatMap(([name, value]) => [
    "-H",
    `${name}: ${value}`,
  ]);
  const seconds = Math.max(1, Math.round(request.seconds));
  const wrk = processes.start("wrk", {
    command: "wrk",
    args: [
      "--threads=1",
      `--connections=${request.connections}`,
      `--duration=${seconds}s`,
      "--timeout=5s",
      "--latency",
      ...(request.script === undefined ? [] : [`--script=${request.script}`]),
      ...headers,
      request.url,
    ],
  });
  return parseWrk(await wrk.output(seconds * 1000 + graceMs));
}

export function parseWrk(output: string): WrkResult {
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(output);
  if (failed !== null) throw new Error(`${failed[1]} answers were not a success\n${output}`);
  const broken = /Socket errors: (.*)/.exec(output);
  if (broken !== null) throw new Error(`connections failed: ${broken[1]}`);
  const done = /(\d+) requests in ([\d.]+[a-z]+)/.exec(output);
  const p50 = /50%\s+([\d.]+[a-z]+)/.exec(output);
  const p99 = /99%\s+([\d.]+[a-z]+)/.exec(output);
  if (done === null || p50 === null || p99 === null)
    throw new Error(`wrk printed something unexpected\n${output}`);
  return {
    operations: Number(done[1]),
    elapsedMs: milliseconds(done[2]),
    latencyMs: { p50: milliseconds(p50[1]), p99: milliseconds(p99[1]) },
  };
}

const unitMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function milliseconds(text: string | undefined): number {
  const match = /^([\d.]+)([a-z]+)$/.exec(text ?? "");
  const unit = unitMs[match?.[2] ?? ""];
  if (match === null || unit === undefined) throw new Error(`wrk printed the time "${text}"`);
  return Number(match[1]) * unit;
}

export async function assertWrkIsInstalled(processes: Processes): Promise<void> {
  const version = processes.start("wrk", { command: "wrk", args: ["-v"] });
  // wrk prints its version and ends with code 1.
  await version
    .line((line) => line.startsWith("wrk "), graceMs)
    .catch(() => {
      throw new Error("This path needs wrk, which is not on the PATH: apt-get install wrk.");
    });
}
