import { createCallbackToken, newId } from "@malipo/platform";
import { eventually, sendRaw, useSystem } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AttackName, attacks } from "./attack/attacks.ts";
import { holdSockets } from "./attack/hold-sockets.ts";

const callbackKey = "a-key-for-the-callbacks-of-a-test";
const system = useSystem([], { env: { CALLBACK_KEY: callbackKey } });
const attacker = "127.0.0.9";

async function attack(name: AttackName) {
  const held = await holdSockets({
    url: system.gateway().apiUrl,
    from: attacker,
    ...attacks[name],
  });
  onTestFinished(() => held.close());
  return held;
}

async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const signal = AbortSignal.timeout(5_000);
  const answer = await fetch(system.gateway().apiUrl + path, { signal, ...init });
  await answer.arrayBuffer();
  return answer.status;
}

/** What other clients get: a call of the API, a callback, the API reference and a probe. */
async function statusesOfOthers() {
  const token = createCallbackToken(newId(), callbackKey);
  return {
    api: (await system.api("GET", "/business/settings")).status,
    callback: await statusOf(`/callbacks/stk/${token}`, { method: "POST", body: "{}" }),
    docs: await statusOf("/docs"),
    probe: await statusOf("/readyz"),
  };
}

const allServed = { api: 200, callback: 200, docs: 200, probe: 200 };

describe("other clients are served during an attack with", () => {
  it.each<AttackName>([
    "requests behind live streams",
    "one byte for a pay page",
    "readers that do not read",
  ])("%s", async (name) => {
    await attack(name);
    expect(await statusesOfOthers()).toEqual(allServed);
  });
});

it("a socket takes no request after a live stream", async () => {
  const held = await attack("requests behind live streams");
  await eventually(() => expect(held.open()).toBe(0));
  expect(held.received()).not.toContain("ready\n");
});

it("a socket with a live stream closes when a request follows", async () => {
  const { bytes } = attacks["requests behind live streams"];
  const end = bytes.indexOf("GET /readyz");
  const held = await holdSockets({
    url: system.gateway().apiUrl,
    from: attacker,
    bytes: bytes.slice(0, end),
    sockets: 1,
  });
  onTestFinished(() => held.close());
  await eventually(() => expect(held.received()).toContain(": hello"));
  expect(held.received()).toMatch(/^connection: close\r$/m);
  expect(held.open()).toBe(1);
  held.write("GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n");
  await eventually(() => expect(held.open()).toBe(0));
  expect(held.received()).not.toContain("ready\n");
});

describe("pipelined requests", () => {
  const readiness = "GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n";
  const last = "GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

  it("of up to 72 are all answered", async () => {
    const answers = await sendRaw(system.gateway().apiUrl, readiness.repeat(71) + last);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 72 }, () => 200));
  });

  it("beyond 72 close the socket", async () => {
    const held = await holdSockets({
      url: system.gateway().apiUrl,
      from: attacker,
      bytes: readiness.repeat(73),
      sockets: 1,
    });
    await eventually(() => expect(held.open()).toBe(0));
  });
});

describe("a request is refused before its body arrives when it has", () => {
  it.each([
    ["an unknown path", "POST /nowhere", 404],
    ["a method of no route", "PUT /business/product/create", 405],
    ["no credential", "POST /business/product/create", 401],
    ["a forged token of a callback", "POST /callbacks/stk/x", 200],
    ["the path of a document", "POST /openapi.json", 404],
  ])("%s", async (_name, first, status) => {
    const head = `${first} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json`;
    const [answer] = await sendRaw(
      system.gateway().apiUrl,
      `${head}\r\ncontent-length: 100\r\n\r\n{`,
      { withinMs: 2_000 },
    );
    expect(answer).toMatchObject({ status, headers: { connection: "close" } });
  });

  it("no credential, without a 100 that asks for the body", async () => {
    const head = "POST /business/product/create HTTP/1.1\r\nhost: x\r\nexpect: 100-continue";
    const answers = await sendRaw(
      system.gateway().apiUrl,
      `${head}\r\ncontent-length: 100\r\n\r\n`,
      { withinMs: 2_000 },
    );
    expect(answers.map(({ status }) => status)).toEqual([401]);
  });
});
