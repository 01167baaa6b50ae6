import { eventually, useSharedServers } from "@malipo/testing";
import { expect, it } from "vitest";
import { leftOf, writeWhileItBreaks } from "./never-lost.ts";

const shared = useSharedServers();

it("what was saved is published, whatever breaks meanwhile", async () => {
  const reader = await writeWhileItBreaks(shared, 11, 150);
  await eventually(async () => {
    const { saved, ...left } = await leftOf(reader);
    expect(saved).toBeGreaterThan(0);
    expect(left).toEqual({ missing: [], untold: 0 });
  }, 30_000);
});
