import { useSharedServers } from "@malipo/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allKinds, type Chaos, describeOutcome, startChaos, type Storm, weather } from "./chaos.ts";

const servers = useSharedServers();
let chaos: Chaos;

beforeAll(async () => {
  chaos = await startChaos(servers);
});
afterAll(() => chaos.stop());

async function bear(storm: Omit<Storm, "perSecond" | "drainWithinMs">) {
  const outcome = await weather(chaos, { ...storm, perSecond: 80, drainWithinMs: 500_000 });
  process.stdout.write(`${describeOutcome(outcome)}\n`);
  return outcome;
}

it("bears twenty thousand events, and fast receivers hardly notice the bad ones", async () => {
  const calm = await bear({ events: 3_000, kinds: ["fast", "second fast"] });
  const among = await bear({ events: 3_000, kinds: allKinds });
  // Below a tenth of a second it is the machine that is measured.
  expect(among.fastP99Ms).toBeLessThan(2 * Math.max(100, calm.fastP99Ms));
  const storm = await bear({ events: 14_000, kinds: allKinds, killEveryMs: 15_000 });
  expect(storm.kills).toBeGreaterThan(5);
}, 1_500_000);
