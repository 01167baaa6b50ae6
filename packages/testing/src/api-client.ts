import { expectConforming } from "./conformance.ts";
import type { TestSystem } from "./system.ts";

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: Record<string, unknown>;
}

/** Sends one request, well-formed or not, and checks that the answer conforms to the API reference. */
export async function call(
  url: string,
  method: string,
  authorization: string | undefined,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await answer.text();
  const received = { status: answer.status, headers: answer.headers, text, body: parsed(text) };
  expectConforming(method, url, received);
  return received;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Limits so high that no test reaches them by accident. */
const highLimits = {
  plan: "enterprise",
  limits: { second: 100_000, minute: 1_000_000, day: 10_000_000 },
};

/** Creates a business and issues its API key, through the operator's API. */
export async function makeBusiness(
  system: Pick<TestSystem, "operatorUrl" | "operatorToken">,
  terms: object = highLimits,
): Promise<{ businessid: string; secret: string }> {
  const token = `Bearer ${system.operatorToken}`;
  const create = `${system.operatorUrl}/operator/business/create`;
  const created = await call(create, "POST", token, { name: "Duka la Mtihani", ...terms });
  const businessid = idIn(created);
  const issue = `${system.operatorUrl}/operator/key/issue/${businessid}`;
  const issued = await call(issue, "POST", token, {});
  return { businessid, secret: String(dataOf(issued)["secret"]) };
}

export function dataOf({ body, text }: ApiAnswer): Record<string, unknown> {
  const { data } = body;
  if (typeof data !== "object" || data === null) throw new Error(`no data in ${text}`);
  return { ...data };
}

export function idIn(answer: ApiAnswer): string {
  return String(dataOf(answer)["_id"]);
}
