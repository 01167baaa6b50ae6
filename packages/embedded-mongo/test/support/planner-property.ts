import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runScenario } from "./planner-model.ts";
import { scenarios } from "./planner-scenarios.ts";
import { testServer } from "./server.ts";
import type { TestServer } from "./server.ts";

/** Draws so many scenarios; without a seed others every time. */
export function testPlanner(runs: { readonly numRuns: number; readonly seed?: number }): void {
  let at: TestServer;
  beforeAll(async () => {
    at = await testServer();
  });
  afterAll(() => at.stop());

  test("through any indexes, queries and updates answer what a scan would", async () => {
    const collection = at.client.db("planner").collection("documents");
    await fc.assert(
      fc.asyncProperty(scenarios, (scenario) => runScenario(collection, scenario)),
      runs,
    );
    expect(at.errors).toEqual([]);
  });
}
