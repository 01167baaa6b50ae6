import { eventually, useSharedServers } from "@malipo/testing";
import { expect, it } from "vitest";
import { leftOf, writeWhileItBreaks } from "./never-lost.ts";

const shared = useSharedServers();

it.each([1, 2, 3, 4, 5, 6])(
  "what was saved is published, whatever breaks meanwhile: %i",
  async (seed) => {
    const reader = await writeWhileItBreaks(shared, seed, 600);
    await eventually(async () => {
      const { saved, ...left } = await leftOf(reader);
      expect(saved).toBeGreaterThan(0);
      expect(left).toEqual({ missing: [], untold: 0 });
    }, 30_000);
  },
);
