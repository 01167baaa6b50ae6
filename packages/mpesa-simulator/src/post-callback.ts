import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Timers } from "./timers.ts";

/** The status of the answer, or null when none came in time. Redirects are not followed. */
export function postCallback(
  url: string,
  body: string,
  withinMs: number,
  timers: Timers,
): Promise<number | null> {
  return new Promise((resolve) => {
    const send = url.startsWith("https:") ? httpsRequest : httpRequest;
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    // A connection for each, as a kept one may be closed at the moment it is used again.
    const options = { method: "POST", headers, agent: false, signal: timers.signal } as const;
    const sent = send(url, options, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? null));
      response.once("error", () => resolve(null));
    });
    const inTime = timers.after(withinMs, () => sent.destroy());
    sent.once("error", () => resolve(null));
    sent.once("close", () => {
      inTime();
      resolve(null);
    });
    sent.end(body);
  });
}
