import { useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { runModel } from "./run-model.ts";

const servers = useSharedServers();

describe("invoices and credit", () => {
  it.each([1, 2, 3, 4])(
    "are what the rules say after 250 random lives, and that %s times",
    async () => {
      await expect(runModel(servers, { numRuns: 250 }, 45)).resolves.toBeUndefined();
    },
  );
});
