import { eventually, freshNamespace, startNatsServer, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import type { Service } from "../src/service/index.ts";
import { openTestService } from "./test-service.ts";

const shared = useSharedServers();

async function statusOf({ health }: Service, path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${health.port}${path}`)).status;
}

it("/readyz answers 200 after the start, and 503 in a long NATS outage or a shutdown", async () => {
  const nats = await startNatsServer();
  onTestFinished(async () => void (await nats.stop()));
  const service = await openTestService({
    ...shared,
    natsUrl: nats.url,
    namespace: freshNamespace(),
  });
  expect(await statusOf(service, "/readyz")).toBe(503);
  service.markReady();
  expect(await statusOf(service, "/readyz")).toBe(200);
  await nats.kill();
  await eventually(() => !service.wire.isConnected());
  // All replicas share one NATS; they must not all become unready when it restarts.
  expect(await statusOf(service, "/readyz")).toBe(200);
  await eventually(async () => expect(await statusOf(service, "/readyz")).toBe(503), 15_000);
  expect(await statusOf(service, "/livez")).toBe(200);
  await nats.start();
  await eventually(async () => expect(await statusOf(service, "/readyz")).toBe(200));

  const release = Promise.withResolvers<void>();
  service.shutdown.on("intake", () => release.promise);
  const stopped = service.shutdown.begin("test");
  expect(await statusOf(service, "/readyz")).toBe(503);
  release.resolve();
  await stopped;
});
