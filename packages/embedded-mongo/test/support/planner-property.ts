import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runScenario } from "./planner-model.ts";
import { scenarios } from "./planner-scenarios.ts";
import { testServer } from "./server.ts";
import type { TestServer } from "./server.ts";

/** Tests random scenarios. Without a seed they differ in each run. */
export function testPlanner(runs: { readonly numRuns: number; readonly seed?: number }): void {
  let at: TestServer;
  beforeAll(async () => {
    at = await testServer();
  });
  afterAll(() => at.stop());

  test("queries and updates with random indexes give the same results as a scan", async () => {
    const collection = at.client.db("planner").collection("documents");
    await fc.assert(
      fc.asyncProperty(scenarios, (scenario) => runScenario(collection, scenario)),
      runs,
    );
    expect(at.errors).toEqual([]);
  });
}
