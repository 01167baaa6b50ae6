import { faultRules } from "@malipo/core";
import { type RawAnswer, sendRaw, type UsedSystem } from "@malipo/testing";
import { expect } from "vitest";
import { fromRandomAddress } from "./addresses.ts";
import { type HostileRequest, hostileRequests, secretMark } from "./hostile-requests.ts";

const concurrency = 16;
/** Requests that are made at once; all of them in memory would be gigabytes. */
const batchMax = 2_000;

interface Answer {
  readonly status: number;
  readonly requestid: string | null;
  readonly type: string | null;
  readonly text: string;
}

/**
 * Sends hostile requests concurrently, and checks every answer, and the services afterwards. A
 * failure names the seed of its batch, which is the first batch of a run with that seed.
 */
export async function fuzz(system: UsedSystem, count: number, seed: number): Promise<void> {
  const services = Object.values(system.gateway().services);
  const pids = services.map((service) => service.pid());
  const statuses = new Map<number, number>();
  for (let from = 0; from < count; from += batchMax) {
    await sendBatch(system, Math.min(batchMax, count - from), seed + from / batchMax, statuses);
  }

  // The requests reached all stages: each of these statuses occurred.
  for (const status of [200, 400, 401, 404, 405, 415]) {
    expect({ status, count: statuses.get(status) ?? 0 }).not.toEqual({ status, count: 0 });
  }
  expect(services.map((service) => service.pid())).toEqual(pids);
  for (const service of services) expect(service.log()).not.toMatch(/"level":"(error|fatal)"/);
  const created = await system.api("POST", "/business/product/create", {
    title: "Chai",
    price: 30,
  });
  expect(created.status).toBe(201);
}

/** Counts the statuses of the answers. */
async function sendBatch(
  system: UsedSystem,
  count: number,
  seed: number,
  statuses: Map<number, number>,
): Promise<void> {
  const requests = hostileRequests(count, seed);
  let next = 0;
  const senders = Array.from({ length: concurrency }, async () => {
    for (let at = next++; at < requests.length; at = next++) {
      const request = requests[at];
      if (!request) return;
      try {
        for (const answer of await answersTo(system, request)) {
          expectWellFormed(answer, request);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        }
      } catch (error) {
        const text = JSON.stringify({ ...request, body: Buffer.from(request.body).toString() });
        throw new Error(`number ${at} of seed ${seed}: ${text.slice(0, 3_000)}`, { cause: error });
      }
    }
  });
  await Promise.all(senders);
}

async function answersTo(system: UsedSystem, request: HostileRequest): Promise<readonly Answer[]> {
  const { apiUrl, operatorUrl, operatorToken } = system.gateway();
  const url = request.surface === "public" ? apiUrl : operatorUrl;
  const secret = request.surface === "public" ? system.business.secret : operatorToken;
  if (request.how === "fetch") return [await answerByFetch(url, secret, request)];
  if (request.how === "noise") {
    const noise = Buffer.concat([Buffer.of(0x16, 0x03, 0x01), request.body.subarray(0, 2_000)]);
    return (await sendRaw(url, noise, { hangUp: true })).map(answerOf);
  }
  const bytes = bytesOf(request, secret);
  const isBrokenOff = request.how === "broken off";
  const sent = isBrokenOff ? bytes.subarray(0, Math.ceil(bytes.length / 2)) : bytes;
  const isLong = /^\/(openapi\.json|docs)\b/.test(request.path);
  const answers = await sendRaw(url, sent, { hangUp: isBrokenOff }).catch((error: Error) => {
    // An unread body resets the connection, and the rest of a long answer is lost with it.
    if (isLong && error.message.startsWith("an answer is incomplete")) return [];
    throw error;
  });
  if (!isBrokenOff && !isLong) expect(answers.length).toBeGreaterThan(0);
  return answers.map(answerOf);
}

async function answerByFetch(
  url: string,
  secret: string,
  { method, path, headers, body }: HostileRequest,
): Promise<Answer> {
  const sent = new Headers({ ...fromRandomAddress() });
  for (const [name, value] of headers) sent.append(name, value === secretMark ? secret : value);
  const answer = await fetch(url + path, {
    method,
    headers: sent,
    ...(method !== "GET" && { body: Buffer.from(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  return {
    status: answer.status,
    requestid: answer.headers.get("x-request-id"),
    type: answer.headers.get("content-type"),
    text: await answer.text(),
  };
}

/** The bytes of the request. `connection: close` ends the connection after the answer. */
function bytesOf({ method, path, headers, body }: HostileRequest, secret: string): Buffer {
  const address = fromRandomAddress()["x-forwarded-for"];
  const lines = [
    `${method} ${path} HTTP/1.1`,
    "host: x",
    "connection: close",
    `x-forwarded-for: ${address}`,
    ...headers.map(([name, value]) => `${name}: ${value.replace(secretMark, secret)}`),
    ...(headers.some(([name]) => name === "content-length")
      ? []
      : [`content-length: ${body.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

function answerOf({ status, headers, text }: RawAnswer): Answer {
  return {
    status,
    requestid: headers["x-request-id"] ?? null,
    type: headers["content-type"] ?? null,
    text,
  };
}

/** Pages and their refusals are HTML, images or PDFs. */
const pagePath = /^\/(p|r|i|qr)\//;

const failureFields = new Set([
  "success",
  "error",
  "message",
  "code",
  "fields",
  "retry_after",
  "requestid",
]);

function expectWellFormed(
  { status, requestid, type, text }: Answer,
  { path }: HostileRequest,
): void {
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
  if (pagePath.test(path) && !type?.startsWith("application/json")) return;
  if (text === "ready\n") return;
  expect(type).toMatch(/^application\/json/);
  const body: Record<string, unknown> = JSON.parse(text);
  if (status < 300) return expectSuccess(body);
  const code = String(body["code"]);
  expect(faultRules).toHaveProperty([code]);
  expect({ ...body, status: faultRules[code as keyof typeof faultRules].status }).toMatchObject({
    success: false,
    ["message" in body ? "message" : "error"]: expect.stringMatching(/^[^\n]+$/),
    requestid,
    status,
  });
  for (const field of (body["fields"] ?? []) as unknown[]) {
    expect(field).toEqual({ path: expect.any(String), problem: expect.stringMatching(/./) });
  }
  expect(Object.keys(body).filter((name) => !failureFields.has(name))).toEqual([]);
  expect(text).not.toMatch(/<html|\bat .*\.(ts|js):\d/);
}

function expectSuccess(body: Record<string, unknown>): void {
  if (body["openapi"] !== undefined) return;
  expect(body["success"]).toBe(true);
}
