import { request } from "node:http";

const answerWithinMs = 10_000;

export interface JsonRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly authorization: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

/** One JSON request; what is not a success throws with the answer's own words. */
export async function sendJson(question: JsonRequest): Promise<unknown> {
  const { status, text } = await exchange(question);
  if (status >= 200 && status < 300) return JSON.parse(text);
  throw new Error(`${question.method} ${question.url} answered ${status}: ${text.slice(0, 500)}`);
}

function exchange(question: JsonRequest): Promise<{ status: number; text: string }> {
  const body = question.body === undefined ? undefined : JSON.stringify(question.body);
  const headers: Record<string, string> = { authorization: question.authorization };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (question.idempotencyKey !== undefined) headers["idempotency-key"] = question.idempotencyKey;
  return new Promise((resolve, reject) => {
    const sent = request(
      question.url,
      { method: question.method, headers, agent: false, timeout: answerWithinMs },
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
    sent.once("timeout", () => sent.destroy(new Error(`${question.url} did not answer.`)));
    sent.once("error", reject);
    sent.end(body);
  });
}
