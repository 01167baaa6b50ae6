import {
  type ApiAnswer,
  call,
  eventually,
  freshNamespace,
  idIn,
  makeBusiness,
  startNatsServer,
  startStore,
  startSystem,
  type TestServer,
  type TestSystem,
} from "@malipo/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const deadlineMs = 5_000;
/** The longest time to recover after an outage. */
const recoveryMs = 20_000;

let nats: TestServer;
let store: TestServer;
let system: TestSystem;
let secret: string;
let productPath: string;

beforeAll(async () => {
  [nats, store] = await Promise.all([startNatsServer(), startStore()]);
  const servers = { natsUrl: nats.url, mongodbUri: store.url, namespace: freshNamespace() };
  system = await startSystem(servers, ["invoice"], { ownProcess: ["gateway", "invoice"] });
  ({ secret } = await makeBusiness(system));
  productPath = `/business/product/details/${idIn(await create())}`;
});
afterAll(async () => {
  await system.stop();
  await Promise.all([nats.stop(), store.stop()]);
});

async function create(): Promise<ApiAnswer> {
  const url = `${system.apiUrl}/business/product/create`;
  return call(url, "POST", secret, { title: "Chai", price: 30 });
}

async function read(): Promise<ApiAnswer> {
  return call(system.apiUrl + productPath, "GET", secret);
}

async function list(): Promise<ApiAnswer> {
  return call(`${system.apiUrl}/business/product/list?limit=1`, "GET", secret);
}

async function expectUnavailable(ask: () => Promise<ApiAnswer>, statuses: readonly number[]) {
  const asked = performance.now();
  const answer = await ask();
  expect(performance.now() - asked).toBeLessThan(deadlineMs + 1_000);
  expect(statuses).toContain(answer.status);
  expect(answer.body).toMatchObject({
    success: false,
    error: expect.any(String),
    requestid: expect.any(String),
  });
  expect(answer.headers.get("retry-after")).toBe(answer.status === 503 ? "1" : null);
}

async function expectRecovered() {
  await eventually(async () => {
    expect((await read()).status).toBe(200);
    expect((await create()).status).toBe(201);
  }, recoveryMs);
}

/** The processes that are killed and paused in turn. */
const victims: readonly [string, () => Pick<TestServer, "kill" | "start" | "pause" | "resume">][] =
  [
    ["the invoice service", () => service("invoice")],
    ["NATS", () => nats],
    ["the store", () => store],
  ];

function service(name: string) {
  const found = system.services[name];
  if (!found) throw new Error(`${name} was not started`);
  return found;
}

describe.each(victims)("while %s", (_name, victim) => {
  it("is killed, requests are refused by the deadline, and succeed after the restart", async () => {
    await expectRecovered();
    await victim().kill();
    await expectUnavailable(read, [503]);
    // A write that was sent when the connection broke may have been executed.
    await expectUnavailable(create, [503, 504]);
    await eventually(async () => expectUnavailable(create, [503]), recoveryMs);
    expect((await call(`${system.apiUrl}/openapi.json`, "GET", undefined)).status).toBe(200);
    await victim().start();
    await expectRecovered();
  });

  it("is paused, requests are refused by the deadline, and succeed afterwards", async () => {
    await expectRecovered();
    victim().pause();
    try {
      await expectUnavailable(read, [503]);
      await expectUnavailable(create, [503, 504]);
    } finally {
      victim().resume();
    }
    await expectRecovered();
  });
});

it("while the store is paused, a business that is not cached is refused by the deadline", async () => {
  await expectRecovered();
  // The gateway may reconnect to the store later than the invoice service.
  const newcomer = await eventually(async () => makeBusiness(system), recoveryMs);
  const url = system.apiUrl + productPath;
  store.pause();
  try {
    await expectUnavailable(async () => call(url, "GET", newcomer.secret), [503]);
  } finally {
    store.resume();
  }
  await eventually(async () => {
    expect((await call(url, "GET", newcomer.secret)).status).toBe(404);
  }, recoveryMs);
});

it("a paused service does not execute requests whose deadline has passed", async () => {
  await expectRecovered();
  const before = (await list()).body["meta"];
  const invoice = service("invoice");
  invoice.pause();
  const answers = await Promise.all([create(), create(), create()]);
  invoice.resume();
  expect(answers.map(({ status }) => status)).toEqual([504, 504, 504]);
  await eventually(async () => expect((await read()).status).toBe(200), recoveryMs);
  expect((await list()).body["meta"]).toEqual(before);
});

it("/operator/health names the services that cannot use the store", async () => {
  await expectRecovered();
  await store.kill();
  const token = `Bearer ${system.operatorToken}`;
  const ask = async () => call(`${system.operatorUrl}/operator/health`, "GET", token);
  await eventually(async () => {
    const { status, text } = await ask();
    expect(status).toBe(200);
    expect(text.match(/cannot use its database/g)).toHaveLength(2);
  }, recoveryMs);
  await store.start();
  await expectRecovered();
  expect((await ask()).text).not.toContain("cannot use its database");
});
