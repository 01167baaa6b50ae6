import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runScenario } from "./support/planner-model.ts";
import { scenarios } from "./support/planner-scenarios.ts";
import { testServer } from "./support/server.ts";
import type { TestServer } from "./support/server.ts";

let at: TestServer;
beforeAll(async () => {
  at = await testServer();
});
afterAll(async () => {
  await at.stop();
});

test("through any indexes, queries and updates answer what a scan would", async () => {
  const collection = at.client.db("planner").collection("documents");
  await fc.assert(
    fc.asyncProperty(scenarios, (scenario) => runScenario(collection, scenario)),
    { numRuns: 60, seed: 20261121 },
  );
  expect(at.errors).toEqual([]);
});
