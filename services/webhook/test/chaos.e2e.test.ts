import { useSharedServers } from "@malipo/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allKinds, type Chaos, startChaos, weather } from "./chaos.ts";

const servers = useSharedServers();
let chaos: Chaos;

beforeAll(async () => {
  chaos = await startChaos(servers);
});
afterAll(() => chaos.stop());

it("loses nothing, with bad receivers and workers that are killed", async () => {
  const { kills } = await weather(chaos, {
    events: 360,
    perSecond: 60,
    kinds: allKinds,
    killEveryMs: 1_200,
    drainWithinMs: 40_000,
  });
  expect(kills).toBeGreaterThan(1);
}, 90_000);
