import { openService, platformConfig, readConfig } from "@malipo/platform";
import { environmentOn, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { expect, it, onTestFinished } from "vitest";
import { healthFindings } from "../src/domain/health/findings.ts";
import { collectHealthFacts } from "../src/workflows/collect-health-facts.ts";

const servers = useSharedServers();

it("a health check names every service that does not run", async () => {
  const config = readConfig(platformConfig, environmentOn(inOwnNamespace(servers)));
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  const findings = healthFindings(await collectHealthFacts(service));
  const stopped = findings.filter(
    ({ says }) => says === "does not run, or has no connection to NATS",
  );
  expect(stopped.map(({ about }) => about).toSorted()).toEqual([
    "gateway",
    "invoice",
    "payment",
    "scheduler",
    "subscription",
    "webhook",
  ]);
});
