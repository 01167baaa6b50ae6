import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { runModel } from "./run-model.ts";

const servers = useSharedServers();

describe("invoices and credit", () => {
  it("are what the rules say after a thousand random lives", async () => {
    await expect(runModel(servers, { numRuns: 1_000 }, 45)).resolves.toBeUndefined();
  });
});
