import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Timers } from "../timers.ts";

const kept = { keepAlive: true, maxFreeSockets: 64 };
const plain = { send: httpRequest, agent: new HttpAgent(kept) };
const secure = { send: httpsRequest, agent: new HttpsAgent(kept) };

/** The status of the answer, or null when none came in time. Redirects are not followed. */
export async function postCallback(
  url: string,
  body: string,
  withinMs: number,
  timers: Timers,
): Promise<number | null> {
  const status = await post(url, body, withinMs, timers, true);
  // A kept connection may be closed at the moment it is used again.
  return status === "stale" ? postAnew(url, body, withinMs, timers) : status;
}

async function postAnew(url: string, body: string, withinMs: number, timers: Timers) {
  const status = await post(url, body, withinMs, timers, false);
  return status === "stale" ? null : status;
}

function post(
  url: string,
  body: string,
  withinMs: number,
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
    const sent = send(url, options, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? null));
      response.once("error", () => resolve(null));
    });
    let isLate = false;
    const inTime = timers.after(withinMs, () => {
      isLate = true;
      sent.destroy();
    });
    sent.once("error", () => resolve(sent.reusedSocket && !isLate ? "stale" : null));
    sent.once("close", () => {
      inTime();
      resolve(null);
    });
    sent.end(body);
  });
}
