import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

/** The status of the answer, or null when none came in time. Redirects are not followed. */
export function postCallback(
  url: string,
  body: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<number | null> {
  return new Promise((resolve) => {
    const send = url.startsWith("https:") ? httpsRequest : httpRequest;
    const sent = send(
      url,
      {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
        // A connection for each, as a kept one may be closed at the moment it is used again.
        agent: false,
        signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]),
      },
      (response) => {
        response.resume();
        response.once("end", () => resolve(response.statusCode ?? null));
        response.once("error", () => resolve(null));
        response.once("close", () => resolve(null));
      },
    );
    sent.once("error", () => resolve(null));
    sent.end(body);
  });
}
