import { useSharedServers } from "@malipo/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allKinds, type Chaos, describeOutcome, startChaos, weather } from "./chaos.ts";

const servers = useSharedServers();
const drainWithinMs = 180_000;
let chaos: Chaos;

beforeAll(async () => {
  chaos = await startChaos(servers);
});
afterAll(() => chaos.stop());

it("bears twenty thousand events, and fast receivers hardly notice the bad ones", async () => {
  const steady = { perSecond: 80, drainWithinMs };
  const calm = await weather(chaos, { ...steady, events: 3_000, kinds: ["fast", "second fast"] });
  const among = await weather(chaos, { ...steady, events: 3_000, kinds: allKinds });
  const storm = await weather(chaos, {
    ...steady,
    events: 14_000,
    kinds: allKinds,
    killEveryMs: 8_000,
  });
  for (const outcome of [calm, among, storm]) process.stdout.write(`${describeOutcome(outcome)}\n`);
  // Below a tenth of a second it is the machine that is measured.
  expect(among.fastP99Ms).toBeLessThan(2 * Math.max(100, calm.fastP99Ms));
  expect(storm.kills).toBeGreaterThan(10);
});
