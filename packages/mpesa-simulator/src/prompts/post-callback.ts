import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Timers } from "../timers.ts";

const agentOptions = { keepAlive: true, maxFreeSockets: 64 };
const plain = { send: httpRequest, agent: new HttpAgent(agentOptions) };
const secure = { send: httpsRequest, agent: new HttpsAgent(agentOptions) };

/**
 * Posts a callback. Resolves with the status of the response, or null when none arrived within
 * `timeoutMs`. Redirects are not followed.
 */
export async function postCallback(
  url: string,
  body: string,
  timeoutMs: number,
  timers: Timers,
): Promise<number | null> {
  const status = await post(url, body, timeoutMs, timers, true);
  if (status !== "stale") return status;
  // The receiver closed a kept connection just as it was used again, so use a new one.
  const secondStatus = await post(url, body, timeoutMs, timers, false);
  return secondStatus === "stale" ? null : secondStatus;
}

/** Resolves with "stale" when a reused connection broke before the response. */
function post(
  url: string,
  body: string,
  timeoutMs: number,
  timers: Timers,
  mayReuse: boolean,
): Promise<number | null | "stale"> {
  return new Promise((resolve) => {
    const { send, agent } = url.startsWith("https:") ? secure : plain;
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const { signal } = timers;
    const options = { method: "POST", headers, agent: mayReuse && agent, signal } as const;
    const request = send(url, options, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? null));
      response.once("error", () => resolve(null));
    });
    let isTimedOut = false;
    const cancelTimeout = timers.after(timeoutMs, () => {
      isTimedOut = true;
      request.destroy();
    });
    request.once("error", () => resolve(request.reusedSocket && !isTimedOut ? "stale" : null));
    request.once("close", () => {
      cancelTimeout();
      resolve(null);
    });
    request.end(body);
  });
}
