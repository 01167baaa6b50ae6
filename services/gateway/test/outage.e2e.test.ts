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
/** How long anything may take to be itself again after an outage. */
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

async function expectAllWell() {
  await eventually(async () => {
    expect((await read()).status).toBe(200);
    expect((await create()).status).toBe(201);
  }, recoveryMs);
}

/** The service, NATS and the store, each crashed and each frozen, and what a caller sees meanwhile. */
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
  it("is dead, requests are refused by the deadline; afterwards all is well again", async () => {
    await expectAllWell();
    await victim().kill();
    await expectUnavailable(read, [503]);
    // A write on its way when the connection broke may have happened.
    await expectUnavailable(create, [503, 504]);
    await eventually(async () => expectUnavailable(create, [503]), recoveryMs);
    expect((await call(`${system.apiUrl}/openapi.json`, "GET", undefined)).status).toBe(200);
    await victim().start();
    await expectAllWell();
  });

  it("stands still, requests are refused by the deadline; afterwards all is well again", async () => {
    await expectAllWell();
    victim().pause();
    try {
      await expectUnavailable(read, [503]);
      await expectUnavailable(create, [503, 504]);
    } finally {
      victim().resume();
    }
    await expectAllWell();
  });
});

it("is refused by the deadline while the store stands still, also who was never seen before", async () => {
  await expectAllWell();
  // The gateway may find its store again later than the service that was asked.
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

it("applies nothing that was given up while the service stood still", async () => {
  await expectAllWell();
  const before = (await list()).body["meta"];
  const invoice = service("invoice");
  invoice.pause();
  const answers = await Promise.all([create(), create(), create()]);
  invoice.resume();
  expect(answers.map(({ status }) => status)).toEqual([504, 504, 504]);
  await eventually(async () => expect((await read()).status).toBe(200), recoveryMs);
  expect((await list()).body["meta"]).toEqual(before);
});

it("tells an operator that the store is away, and who cannot use it", async () => {
  await expectAllWell();
  await store.kill();
  const token = `Bearer ${system.operatorToken}`;
  const ask = async () => call(`${system.operatorUrl}/operator/health`, "GET", token);
  await eventually(async () => {
    const { status, text } = await ask();
    expect(status).toBe(200);
    expect(text.match(/cannot use its database/g)).toHaveLength(2);
  }, recoveryMs);
  await store.start();
  await expectAllWell();
  expect((await ask()).text).not.toContain("cannot use its database");
});
