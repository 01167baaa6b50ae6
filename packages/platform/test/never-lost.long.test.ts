import { eventually, useSharedServers } from "@malipo/testing";
import { expect, it } from "vitest";
import { findUnpublished, writeWhileItBreaks } from "./never-lost.ts";

const shared = useSharedServers();

it.each([1, 2, 3, 4, 5, 6])(
  "every saved event is published when connections to NATS and the store break (seed %i)",
  async (seed) => {
    const reader = await writeWhileItBreaks(shared, seed, 600);
    await eventually(async () => {
      const { saved, ...left } = await findUnpublished(reader);
      expect(saved).toBeGreaterThan(0);
      expect(left).toEqual({ missing: [], unpublished: 0 });
    }, 30_000);
  },
);
