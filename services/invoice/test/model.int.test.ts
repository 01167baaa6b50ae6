import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { runModel } from "./run-model.ts";

const servers = useSharedServers();

describe("the service and the model of invoices and credit", () => {
  it("agree after 15 random sequences of commands", { timeout: 120_000 }, async () => {
    await expect(runModel(servers, { numRuns: 15, seed: 7 }, 25)).resolves.toBeUndefined();
  });
});
