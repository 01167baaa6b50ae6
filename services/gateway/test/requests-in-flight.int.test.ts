import { type AddressInfo, connect } from "node:net";
import { promisify } from "node:util";
import { createShare, openService, platformConfig, readConfig } from "@malipo/platform";
import { environmentOn, eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import type { FastifyRequest } from "fastify";
import { expect, it, onTestFinished } from "vitest";
import { buildApp } from "../src/http/app.ts";
import { takePlace } from "../src/http/pipeline/admit.ts";
import type { Outcome } from "../src/http/pipeline/pipeline.ts";
import { describeAddressLimit } from "../src/http/pipeline/rate-limit.ts";
import { createAddressLimiter } from "../src/limiters/address-limiter.ts";
import { holdSockets } from "./attack/hold-sockets.ts";

const servers = useSharedServers();
const inFlightMax = 1_000;

/** An app whose requests all wait until `held` is resolved. */
async function openBlockedApp({
  max = inFlightMax,
  clientOf = ({ id }: FastifyRequest): string => id,
} = {}) {
  const config = readConfig(platformConfig, environmentOn(inOwnNamespace(servers)));
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const held = Promise.withResolvers<Outcome>();
  const allWaiting = Promise.withResolvers<void>();
  let started = 0;
  const app = buildApp(service, "public", {
    beforeBody: [
      takePlace(createShare({ max }), service, clientOf),
      async () => {
        started += 1;
        if (started === inFlightMax) allWaiting.resolve();
        return held.promise;
      },
    ],
    afterBody: [],
    beforeAnswer: [],
    beforeAnyAnswer: [describeAddressLimit(createAddressLimiter(service.clock, 60))],
  });
  return { app, held, allWaiting: allWaiting.promise, started: () => started };
}

it("a request beyond 1,000 in flight gets a complete 503", async () => {
  const { app, held, allWaiting, started } = await openBlockedApp();
  const ask = async () => app.inject("/business/settings");
  const waiting = Array.from({ length: inFlightMax }, ask);
  await allWaiting;
  const refused = await ask();
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({ success: false, code: "service_unavailable" });
  expect(refused.headers).toMatchObject({
    "x-request-id": refused.json().requestid,
    "x-ratelimit-limit": "60",
    "x-ratelimit-remaining": "60",
    "x-ratelimit-reset": expect.stringMatching(/^\d+$/),
    "retry-after": "1",
  });
  held.resolve(undefined);
  await Promise.all(waiting);
  // No request is in flight now, so the next one starts.
  await ask();
  expect(started()).toBe(inFlightMax + 1);
});

it("a request is not in flight any more when its client disconnects", async () => {
  const { app, allWaiting, started } = await openBlockedApp();
  onTestFinished(() => app.close());
  // A shorter queue of new connections drops some, and their clients try again a second later.
  await app.listen({ host: "127.0.0.1", port: 0, backlog: inFlightMax });
  const { port } = app.server.address() as AddressInfo;
  const request = "GET /business/settings HTTP/1.1\r\nHost: malipo\r\n\r\n";
  const sendRequest = () => {
    const client = connect(port, "127.0.0.1", () => client.write(request));
    // The server may reset a connection that it closes.
    return client.on("error", () => undefined);
  };
  const clients = Array.from({ length: inFlightMax }, sendRequest);
  await allWaiting;
  for (const client of clients) client.destroy();
  const connections = promisify(app.server.getConnections.bind(app.server));
  await eventually(async () => expect(await connections()).toBe(0));
  const next = sendRequest();
  onTestFinished(() => void next.destroy());
  await eventually(() => expect(started()).toBe(inFlightMax + 1));
});

it("a client without a place is refused before its body is read, and others are served", async () => {
  const { app, held, started } = await openBlockedApp({ max: 4, clientOf: ({ ip }) => ip });
  onTestFinished(() => app.close());
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const head = "POST /business/product/create HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{";
  const url = `http://127.0.0.1:${port}`;
  const greedy = await holdSockets({ url, from: "127.0.0.9", bytes: head, sockets: 5 });
  onTestFinished(() => greedy.close());
  await eventually(() => expect(greedy.open()).toBe(2));
  expect(greedy.received()).toMatch(/^(HTTP\/1\.1 503 [^]*?connection: close[^]*?){3}$/);
  const other = await holdSockets({ url, from: "127.0.0.8", bytes: head, sockets: 1 });
  onTestFinished(() => other.close());
  await eventually(() => expect(started()).toBe(3));
  held.resolve("answered");
});
