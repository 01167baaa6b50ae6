import { calls, type ServiceName } from "@malipo/contracts";
import { createTestNatsAccess } from "@malipo/local";
import { freshNamespace, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { platformConfig, readConfig } from "../src/config/index.ts";
import { createLog } from "../src/logging/index.ts";
import { connectNats } from "../src/nats/index.ts";
import { callService, serveRoutes } from "../src/rpc/index.ts";
import { openService } from "../src/service/index.ts";
import { noteRoutes } from "./contract.ts";
import { testRouteHandlers, testHandlers } from "./test-service.ts";

const shared = useSharedServers();

/** The configuration of a service with its own NATS user. */
function configOf(user: ServiceName) {
  return readConfig(platformConfig, {
    NATS_URL: shared.natsUrl,
    MONGODB_URI: shared.mongodbUri,
    NAMESPACE: freshNamespace(),
    LOG_LEVEL: "silent",
    HEALTH_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
    ...createTestNatsAccess().credentialsOf(user),
  });
}

it("a request that NATS does not permit fails at once and is logged with its subject", async () => {
  const config = configOf("webhook");
  const lines: string[] = [];
  const log = createLog("webhook", "info", { write: (line) => void lines.push(line) });
  const wire = await connectNats(config, "webhook", log);
  onTestFinished(() => wire.nats.close());
  const caller = { wire, config, clock: () => new Date(), tracer: undefined };
  const startedMs = performance.now();
  const answer = await callService(caller, calls.cancelInvoice, {
    body: { invoiceid: "6743f1b2c9e8a45d3f0b7c22" },
  });
  expect(performance.now() - startedMs).toBeLessThan(4_000);
  const subject = `${config.NAMESPACE}.rpc.invoice.cancel-invoice`;
  expect(answer).toMatchObject({
    ok: false,
    error: { code: "internal_error", logText: expect.stringContaining(`not permit ${subject}`) },
  });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({
      level: "error",
      operation: "publish",
      subject,
      msg: "NATS refused an operation",
    }),
  );
});

it("serveRoutes rejects when NATS does not permit a subject of the contract", async () => {
  const service = await openService("invoice", configOf("webhook"), {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const serving = serveRoutes(service, testRouteHandlers, testHandlers({}), noteRoutes);
  const subject = `${service.config.NAMESPACE}.rpc.gateway.create-note`;
  await expect(serving).rejects.toThrow(`"${subject}" using queue "invoice"`);
});
