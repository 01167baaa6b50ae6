import { useSharedServers } from "@malipo/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allKinds, type Chaos, describeOutcome, startChaos, type Storm, weather } from "./chaos.ts";

const servers = useSharedServers();
let chaos: Chaos;

beforeAll(async () => {
  chaos = await startChaos(servers);
});
afterAll(() => chaos.stop());

async function bear(name: string, storm: Omit<Storm, "kinds">) {
  const outcome = await weather(chaos, { ...storm, kinds: allKinds });
  process.stdout.write(`${name}: ${describeOutcome(outcome)}\n`);
  return outcome;
}

it("does not let fast receivers wait for bad ones", async () => {
  const calm: number[] = [];
  const among: number[] = [];
  // Slowly, so that it is not the machine that everybody waits for; by turns, and the best of each
  // counts, for whatever else the machine does only ever adds to a wait.
  const pace = { events: 500, perSecond: 25 };
  for (let round = 0; round < 3; round += 1) {
    calm.push((await bear("calm", { ...pace, allWell: true })).fastP99Ms);
    among.push((await bear("among bad ones", pace)).fastP99Ms);
  }
  // Below a tenth of a second it is the machine that is measured.
  expect(Math.min(...among)).toBeLessThan(2 * Math.max(100, Math.min(...calm)));
}, 1_500_000);

it("bears twenty thousand events while its workers are killed", async () => {
  const storm = await bear("storm", {
    events: 20_000,
    perSecond: 80,
    kills: { count: 20, seed: 11 },
  });
  expect(storm.kills).toBe(20);
  expect(storm.duplicates / storm.deliveries).toBeLessThan(0.01);
}, 2_400_000);
