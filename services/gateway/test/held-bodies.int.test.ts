import { type AddressInfo, connect, type Socket } from "node:net";
import { openService, platformConfig, readConfig } from "@malipo/platform";
import { environmentOn, eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { buildApp } from "../src/http/app.ts";
import type { Outcome } from "../src/http/pipeline/pipeline.ts";

const servers = useSharedServers();
const path = "/business/product/create";
const largest = `{"title":"${"x".repeat(256 * 1_024 - 12)}"}`;
/** Of the largest bodies, so many fit into the 32 MiB that a gateway holds. */
const bodiesMax = 128;

/** An app whose requests wait with their bodies. Each is of the business that it names. */
async function openBlockedApp() {
  const config = readConfig(platformConfig, environmentOn(inOwnNamespace(servers)));
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const held = Promise.withResolvers<Outcome>();
  let started = 0;
  let begun = 0;
  const app = buildApp(
    service,
    "public",
    {
      beforeBody: [
        (request) => {
          begun += 1;
          const businessid = String(request.headers["x-business"]);
          const limits = { plan: "free", limits: null, suspended: false, expiresat: null } as const;
          request.principal = { credentialid: businessid, businessid, ...limits };
          return undefined;
        },
      ],
      afterBody: [
        async () => {
          started += 1;
          return held.promise;
        },
      ],
      beforeAnswer: [],
      beforeAnyAnswer: [],
    },
    { trustedProxies: ["127.0.0.1"] },
  );
  onTestFinished(() => app.close());
  const create = async (business: string, payload: string, address = business) =>
    app.inject({
      method: "POST",
      url: path,
      headers: {
        "content-type": "application/json",
        "x-business": business,
        "x-forwarded-for": `198.51.100.${Number(address)}`,
      },
      payload,
    });
  return { app, held, create, started: () => started, begun: () => begun };
}

const busy = { success: false, code: "service_unavailable" };

it.each([
  ["business", (index: number) => ["greedy", `${index}`] as const],
  ["address", (index: number) => [`business ${index}`, "7"] as const],
])("the bodies of one %s take half of the room", async (_who, senderOf) => {
  const { held, create, started } = await openBlockedApp();
  const send = async (index: number, payload: string) => {
    const [business, address] = senderOf(index);
    return create(business, payload, address);
  };
  const waiting = Array.from({ length: bodiesMax / 2 }, async (_, index) => send(index, largest));
  await eventually(() => started() === bodiesMax / 2);
  const refused = await send(bodiesMax, "{}");
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject(busy);
  expect(refused.headers).toMatchObject({ "retry-after": "1", connection: "close" });
  const other = create("modest", largest, "200");
  await eventually(() => started() === bodiesMax / 2 + 1);
  held.resolve(undefined);
  await Promise.all([...waiting, other]);
  // No body is held any more.
  await send(0, largest);
  expect(started()).toBe(bodiesMax / 2 + 2);
});

it("bodies of many take all the room, and requests without a body need none", async () => {
  const { app, held, create, started } = await openBlockedApp();
  const waiting = Array.from({ length: bodiesMax }, async (_, index) =>
    create(String(index), largest),
  );
  await eventually(() => started() === bodiesMax);
  expect((await create("200", "{}")).json()).toMatchObject(busy);
  const withoutBody = app.inject("/business/settings");
  await eventually(() => started() === bodiesMax + 1);
  held.resolve(undefined);
  await Promise.all([...waiting, withoutBody]);
});

/** Sends the head of a chunked request. */
async function beginChunked(port: number, business: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  // The server may reset a connection whose body it has not read.
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-business: ${business}`;
  socket.write(`${head}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`);
  return socket;
}

it("a chunked body counts as it arrives, and each chunk as what it costs", async () => {
  const { app, held, create, started, begun } = await openBlockedApp();
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const slow = Array.from({ length: 2 * bodiesMax }, () => beginChunked(port, "greedy"));
  for (const socket of await Promise.all(slow)) socket.write("1\r\n{\r\n");
  await eventually(() => begun() === 2 * bodiesMax);
  const other = create("modest", largest, "1");
  await eventually(() => started() === 1);
  const tiny = await beginChunked(port, "tiny");
  const answer = Promise.withResolvers<string>();
  tiny.once("data", (bytes) => answer.resolve(String(bytes)));
  tiny.write("1\r\n{\r\n".repeat(120_000));
  expect(await answer.promise).toMatch(/^HTTP\/1\.1 503 [\s\S]*connection: close/i);
  held.resolve(undefined);
  await other;
  expect(started()).toBe(1);
});
