import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { openService, platformConfig, readConfig } from "@malipo/platform";
import {
  environmentOn,
  eventually,
  inOwnNamespace,
  sendRaw,
  useSharedServers,
} from "@malipo/testing";
import type { FastifyInstance } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { buildApp, type EdgeOptions } from "../src/http/app.ts";
import { holdSockets } from "./attack/hold-sockets.ts";

const servers = useSharedServers();

/** More than the buffers of both ends of a connection hold. */
const big = Buffer.alloc(64 * 1024 * 1024);
const small = 1_000;
const smallRequest = "GET /small HTTP/1.1\r\nhost: x\r\n\r\n";

const patience = {
  bodyGraceMs: 60_000,
  bodyBytesPerSecond: 1_000,
  readingMaxMs: 60_000,
  readingPauseMaxMs: 60_000,
  checkEveryMs: 20,
};

async function openApp(edge: EdgeOptions) {
  const config = readConfig(platformConfig, environmentOn(inOwnNamespace(servers)));
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const pipeline = { beforeBody: [], afterBody: [], beforeAnswer: [], beforeAnyAnswer: [] };
  const app = buildApp(service, "operator", pipeline, edge);
  app.get("/big", async () => big);
  app.get("/small", async () => Buffer.alloc(small));
  app.get("/stream", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200).write(big);
  });
  app.post("/body", async () => Buffer.alloc(small));
  onTestFinished(() => app.close());
  await app.listen({ host: "127.0.0.1", port: 0 });
  return { app, url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` };
}

async function hold(
  url: string,
  bytes: string,
  { from = "127.0.0.9", sockets = 1, reads = false } = {},
) {
  const held = await holdSockets({ url, from, bytes, sockets, reads });
  onTestFinished(() => held.close());
  return held;
}

const connectionsOf = async ({ server }: FastifyInstance) =>
  promisify(server.getConnections.bind(server))();

it("a body that arrives too slowly gets a 408", async () => {
  const { url } = await openApp({ patience: { ...patience, bodyGraceMs: 50 } });
  const head = "POST /body HTTP/1.1\r\nhost: x\r\ncontent-type: application/json";
  const answers = await sendRaw(url, `${head}\r\ncontent-length: 100\r\n\r\n{`, {
    withinMs: 4_000,
  });
  expect(answers).toMatchObject([{ status: 408, headers: { connection: "close" } }]);
});

it.each([
  ["answer", "/big", { readingMaxMs: 100 }],
  ["answer, as soon as it pauses too long", "/big", { readingPauseMaxMs: 100 }],
  ["stream", "/stream", { readingMaxMs: 100 }],
])("the socket of a client that does not read its %s is closed", async (_what, path, limits) => {
  const { app, url } = await openApp({ patience: { ...patience, ...limits } });
  await hold(url, `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await eventually(async () => expect(await connectionsOf(app)).toBe(1));
  await eventually(async () => expect(await connectionsOf(app)).toBe(0));
});

it("the socket of a client that has read its answer stays open", async () => {
  const { app, url } = await openApp({
    patience: { ...patience, readingMaxMs: 1, readingPauseMaxMs: 1 },
  });
  const held = await hold(url, smallRequest, { reads: true });
  await eventually(() => expect(held.received().length).toBeGreaterThan(small));
  held.write(smallRequest);
  await eventually(() => expect(held.received().length).toBeGreaterThan(2 * small));
  expect(await connectionsOf(app)).toBe(1);
});

it("an address has no more connections than its maximum, but a trusted proxy has", async () => {
  const { url } = await openApp({ connectionsPerAddressMax: 3, trustedProxies: ["127.0.0.1"] });
  const greedy = await hold(url, "", { sockets: 10, reads: true });
  const other = await hold(url, "", { from: "127.0.0.8", sockets: 3, reads: true });
  const proxy = await hold(url, "", { from: "127.0.0.1", sockets: 10, reads: true });
  await eventually(() => expect(greedy.open()).toBe(3));
  expect([other.open(), proxy.open()]).toEqual([3, 10]);
  greedy.close();
  await eventually(async () => {
    const again = await hold(url, smallRequest, { reads: true });
    await eventually(() => expect(again.received().length).toBeGreaterThan(small), 200);
  });
});
