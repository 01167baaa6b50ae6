import { faultRules } from "@malipo/core";
import { allServices, eventually, type RawAnswer, sendRaw, useSystem } from "@malipo/testing";
import { describe, expect, it } from "vitest";

const system = useSystem(allServices);

async function send(bytes: string, options = {}): Promise<RawAnswer[]> {
  return sendRaw(system.gateway().apiUrl, Buffer.from(bytes, "latin1"), options);
}

/** The bytes of a request with the business's secret and `connection: close`. */
function request(first: string, lines: readonly string[] = [], body = ""): string {
  const { secret } = system.business;
  const head = [first, "host: x", `authorization: ${secret}`, "connection: close", ...lines];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function expectRefusal(answer: RawAnswer | undefined, code: keyof typeof faultRules) {
  if (!answer) throw new Error("no answer");
  const { status, headers, text } = answer;
  expect({ status, text }).toEqual({ status: faultRules[code].status, text: expect.any(String) });
  expect(JSON.parse(text)).toEqual({
    success: false,
    error: expect.any(String),
    code,
    requestid: headers["x-request-id"],
  });
  expect(headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
}

const list = "GET /business/product/list HTTP/1.1";
const create = "POST /business/product/create HTTP/1.1";
const json = "content-type: application/json";

describe("broken requests", () => {
  it.each([
    ["noise", () => "\u0000\u0001\u0002 noise \r\n\r\n"],
    ["another protocol", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["an unknown method", () => request("FETCH /business/product/list HTTP/1.1")],
    ["an unknown version", () => request("GET /business/product/list HTTP/9.9")],
    ["raw bytes in the path", () => request("GET /business/\u0000\u00ff HTTP/1.1")],
    ["a length that is no number", () => request(create, [json, "content-length: ten"])],
    ["a negative length", () => request(create, [json, "content-length: -1"])],
    ["two lengths", () => request(create, [json, "content-length: 2", "content-length: 3"], "{}")],
    [
      "a length and chunks",
      () => request(create, [json, "content-length: 2", "transfer-encoding: chunked"], "0\r\n\r\n"),
    ],
    ["a broken chunk", () => request(create, [json, "transfer-encoding: chunked"], "zz\r\n{}")],
    ["a header without a name", () => request(list, [": x"])],
    ["NUL in a header", () => request(list, ["x-note: a\u0000b"])],
    ["no host", () => request(list).replace("host: x\r\n", "")],
    ["two hosts", () => request(list, ["Host: y"])],
    ["the same host twice", () => request(list, ["host: x"])],
    ["two credentials", () => request(list, ["Authorization: sk_test_other"])],
    ["a credential twice", () => request(list, [`AUTHORIZATION: ${system.business.secret}`])],
  ])("get a refusal in the usual form: %s", async (_name, bytes) => {
    const answers = await send(bytes());
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], "invalid_request");
  });

  it.each([
    ["a body", () => request(create, [json, "content-length: 100"], "{")],
    ["a chunk", () => request(create, [json, "transfer-encoding: chunked"], "5\r\n{")],
    ["a line", () => "GET /business"],
  ])("get a refusal when they break off in %s", async (_name, bytes) => {
    const answers = await send(bytes(), { hangUp: true });
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], "invalid_request");
  });

  it.each([
    ["long", () => request(list, [`x-note: ${"a".repeat(20_000)}`])],
    [
      "many",
      () =>
        request(
          list,
          Array.from({ length: 3_000 }, (_, at) => `x-note-${at}: a`),
        ),
    ],
  ])("get a refusal when headers are too %s", async (_name, bytes) => {
    expectRefusal((await send(bytes()))[0], "headers_too_large");
  });

  it.each(["gzip", "GZIP", "deflate", "br", "zstd", "identity, gzip", "unheard-of"])(
    "get a 415 when the body has the encoding %s",
    async (encoding) => {
      const lines = [json, "content-length: 2", `content-encoding: ${encoding}`];
      const [answer] = await send(request(create, lines, "{}"));
      expectRefusal(answer, "unsupported_content_type");
      expect(answer?.headers["accept-encoding"]).toBe("identity");
    },
  );

  it("get a 417 when the header Expect is unknown", async () => {
    const [answer] = await send(request(create, [json, "content-length: 2", "expect: tea"], "{}"));
    expectRefusal(answer, "expectation_failed");
  });
});

describe("an unusual but valid request", () => {
  it.each([
    ["of version 1.0", () => request("GET /business/product/list HTTP/1.0")],
    [
      "of version 1.0 without a host",
      () => request("GET /business/product/list HTTP/1.0").replace("host: x\r\n", ""),
    ],
    ["with the encoding of a plain body", () => request(list, ["content-encoding: identity"])],
    ["by its whole address", () => request("GET http://elsewhere/business/product/list HTTP/1.1")],
    ["with a length and no body", () => request(list, ["content-length: 0"])],
  ])("%s is answered", async (_name, bytes) => {
    const answers = await send(bytes());
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it("of a pipeline is answered in order", async () => {
    const { secret } = system.business;
    const paths = ["/business/product/list", "/nowhere", "/business/customer/list"];
    const bytes = paths.map((path, at) =>
      request(`GET ${path} HTTP/1.1`, [`x-request-id: number-${at}`]).replace(
        "connection: close\r\n",
        at === 2 ? "connection: close\r\n" : "",
      ),
    );
    const answers = await send(bytes.join(""));
    expect(answers.map(({ status, headers }) => [status, headers["x-request-id"]])).toEqual([
      [200, "number-0"],
      [404, "number-1"],
      [200, "number-2"],
    ]);
    expect(answers.map(({ text }) => text).join("")).not.toContain(secret);
  });

  it("is answered before the refusal of the noise behind it", async () => {
    const answers = await send(`${request(list).replace("connection: close\r\n", "")}\u0000\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expectRefusal(answers[1], "invalid_request");
  });

  it("with Expect: 100-continue gets a 100 first", async () => {
    const body = JSON.stringify({ title: "Chai", price: 30 });
    const lines = [json, `content-length: ${body.length}`, "expect: 100-continue"];
    const answers = await send(request(create, lines, body));
    expect(answers.map(({ status }) => status)).toEqual([100, 201]);
  });
});

// Each test holds a connection open for seconds, so they run at the same time.
describe.concurrent("a client that stops sending in the middle of", () => {
  const tooLongMs = 20_000;

  it.each([
    ["headers", () => `${list}\r\nhost: x\r\nx-note: a`],
    ["a body", () => request(create, [json, "content-length: 100"], '{"title":')],
    ["chunks", () => request(create, [json, "transfer-encoding: chunked"], "1\r\n{\r\n")],
  ])("%s gets a 408", { timeout: 30_000 }, async (_name, bytes) => {
    const answers = await send(bytes(), { withinMs: tooLongMs });
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], "request_timeout");
  });

  it("a body without a credential gets a 401 at once", async () => {
    const bytes = `${create}\r\nhost: x\r\n${json}\r\ncontent-length: 100\r\n\r\n{`;
    const answers = await send(bytes, { withinMs: 5_000 });
    expect(answers).toHaveLength(1);
    expectRefusal(answers[0], "missing_credential");
  });
});

it("after all broken requests the services run and have logged no error", async () => {
  await eventually(async () => {
    expect((await system.api("GET", "/business/product/list")).status).toBe(200);
  });
  const { gateway, invoice } = system.gateway().services;
  for (const service of [gateway, invoice]) {
    expect(service?.pid()).toBeDefined();
    expect(service?.log()).not.toMatch(/"level":"(error|fatal)"/);
  }
});
