import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { runModel } from "./run-model.ts";

const servers = useSharedServers();

describe("the service and the model of invoices and credit", () => {
  it.each([1, 2, 3, 4, 5, 6])("agree after 150 random sequences of commands (run %s)", async () => {
    await expect(runModel(servers, { numRuns: 150 }, 45)).resolves.toBeUndefined();
  });
});
