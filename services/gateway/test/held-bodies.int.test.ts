import { openService, platformConfig, readConfig } from "@malipo/platform";
import { environmentOn, eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { buildApp } from "../src/http/app.ts";
import type { Outcome } from "../src/http/pipeline/pipeline.ts";

const servers = useSharedServers();
/** Of the largest bodies, so many fit into the 32 MiB that a gateway holds. */
const bodiesMax = 128;
const largest = `{"title":"${"x".repeat(256 * 1_024 - 12)}"}`;

it("a request whose body finds no room is refused with a 503, others are not", async () => {
  const config = readConfig(platformConfig, environmentOn(inOwnNamespace(servers)));
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const held = Promise.withResolvers<Outcome>();
  let started = 0;
  const app = buildApp(service, "public", {
    beforeBody: [],
    afterBody: [
      async () => {
        started += 1;
        return held.promise;
      },
    ],
    beforeAnswer: [],
    beforeAnyAnswer: [],
  });
  const create = async (payload: string) =>
    app.inject({
      method: "POST",
      url: "/business/product/create",
      headers: { "content-type": "application/json" },
      payload,
    });
  const waiting = Array.from({ length: bodiesMax }, async () => create(largest));
  await eventually(() => started === bodiesMax);
  const refused = await create("{}");
  expect(refused.statusCode).toBe(503);
  expect(refused.json()).toMatchObject({ success: false, code: "service_unavailable" });
  expect(refused.headers).toMatchObject({ "retry-after": "1", connection: "close" });
  const withoutBody = app.inject("/business/settings");
  await eventually(() => started === bodiesMax + 1);
  held.resolve(undefined);
  await Promise.all([...waiting, withoutBody]);
  // No body is held any more.
  await create(largest);
  expect(started).toBe(bodiesMax + 2);
});
