import { useSharedServers } from "@malipo/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allKinds, type Chaos, startChaos, unwrittenPerKill, weather } from "./chaos.ts";

const servers = useSharedServers();
let chaos: Chaos;

beforeAll(async () => {
  chaos = await startChaos(servers);
});
afterAll(() => chaos.stop());

it("loses nothing, with bad receivers and workers that are killed", async () => {
  const { kills, duplicates } = await weather(chaos, {
    events: 360,
    perSecond: 60,
    kinds: allKinds,
    kills: { count: 3, seed: 7 },
  });
  expect(kills).toBe(3);
  // A share says nothing where three kills meet so few events; the long run asks for it.
  expect(duplicates).toBeLessThanOrEqual(kills * unwrittenPerKill);
}, 180_000);
