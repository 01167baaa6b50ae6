import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { runModel } from "./run-model.ts";

const servers = useSharedServers();

describe("invoices and credit", () => {
  it("are what the rules say after whatever happens to them", { timeout: 120_000 }, async () => {
    await expect(runModel(servers, { numRuns: 15, seed: 7 }, 25)).resolves.toBeUndefined();
  });
});
