import { type AddressInfo, connect } from "node:net";
import { promisify } from "node:util";
import { openService, platformConfig, readConfig } from "@malipo/platform";
import { environmentOn, eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { buildApp } from "../src/http/app.ts";
import { describeAddress } from "../src/http/pipeline/rate-limit.ts";
import type { Outcome } from "../src/http/pipeline/pipeline.ts";
import { createAddressLimiter } from "../src/rate-limits/address-limiter.ts";

const servers = useSharedServers();
const inFlightMax = 1_000;

async function openHoldingApp() {
  const config = readConfig(platformConfig, environmentOn(inOwnNamespace(servers)));
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const held = Promise.withResolvers<Outcome>();
  const allHeld = Promise.withResolvers<void>();
  let holding = 0;
  const app = buildApp(service, "public", [], {
    beforeBody: [
      async () => {
        holding += 1;
        if (holding === inFlightMax) allHeld.resolve();
        return held.promise;
      },
    ],
    afterBody: [],
    beforeAnswer: [],
    beforeAnyAnswer: [describeAddress(createAddressLimiter(Date.now, 60))],
  });
  return { app, held, allHeld: allHeld.promise, begun: () => holding };
}

it("beyond what can be in flight refuses as every other refusal is worded, headers and all", async () => {
  const { app, held, allHeld, begun } = await openHoldingApp();
  const ask = async () => app.inject("/business/settings");
  const waiting = Array.from({ length: inFlightMax }, ask);
  await allHeld;
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
  // Nobody is in flight any more, so the next one is let in, as far as anybody can answer it.
  await ask();
  expect(begun()).toBe(inFlightMax + 1);
});

it("clients that leave before their answer are not in flight any more", async () => {
  const { app, allHeld, begun } = await openHoldingApp();
  onTestFinished(() => app.close());
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const request = "GET /business/settings HTTP/1.1\r\nHost: malipo\r\n\r\n";
  const visit = () => {
    const client = connect(port, "127.0.0.1", () => client.write(request));
    return client;
  };
  const clients = Array.from({ length: inFlightMax }, visit);
  await allHeld;
  for (const client of clients) client.destroy();
  const connections = promisify(app.server.getConnections.bind(app.server));
  await eventually(async () => expect(await connections()).toBe(0));
  const next = visit();
  onTestFinished(() => void next.destroy());
  await eventually(() => expect(begun()).toBe(inFlightMax + 1));
});
