import { useSharedServers } from "@malipo/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allKinds, type Chaos, startChaos, unstoredPerKill, runStorm } from "./chaos.ts";

const servers = useSharedServers();
let chaos: Chaos;

beforeAll(async () => {
  chaos = await startChaos(servers);
});
afterAll(() => chaos.stop());

it("delivers and logs every event with bad receivers and killed workers", async () => {
  const { kills, duplicates } = await runStorm(chaos, {
    events: 360,
    perSecond: 60,
    kinds: allKinds,
    kills: { count: 3, seed: 7 },
  });
  expect(kills).toBe(3);
  // With so few events a share of duplicates means little; the long run checks it.
  expect(duplicates).toBeLessThanOrEqual(kills * unstoredPerKill);
}, 180_000);
