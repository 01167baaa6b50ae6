import { request } from "node:http";

const answerTimeoutMs = 10_000;

export interface JsonRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly authorization: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

/** Sends one JSON request. Throws with the answer's text unless the status is 2xx. */
export async function sendJson(options: JsonRequest): Promise<unknown> {
  const { status, text } = await exchange(options);
  if (status >= 200 && status < 300) return JSON.parse(text);
  throw new Error(`${options.method} ${options.url} answered ${status}: ${text.slice(0, 500)}`);
}

function exchange(options: JsonRequest): Promise<{ status: number; text: string }> {
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const headers: Record<string, string> = { authorization: options.authorization };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (options.idempotencyKey !== undefined) headers["idempotency-key"] = options.idempotencyKey;
  return new Promise((resolve, reject) => {
    const sent = request(
      options.url,
      { method: options.method, headers, agent: false, timeout: answerTimeoutMs },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.once("timeout", () => sent.destroy(new Error(`${options.url} did not answer.`)));
    sent.once("error", reject);
    sent.end(body);
  });
}
