import { useSharedServers } from "@malipo/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  allKinds,
  type Chaos,
  describeOutcome,
  startChaos,
  type Storm,
  runStorm,
} from "./chaos.ts";

const servers = useSharedServers();
let chaos: Chaos;

beforeAll(async () => {
  chaos = await startChaos(servers);
});
afterAll(() => chaos.stop());

async function measureStorm(name: string, storm: Omit<Storm, "kinds">) {
  const outcome = await runStorm(chaos, { ...storm, kinds: allKinds });
  process.stdout.write(`${name}: ${describeOutcome(outcome)}\n`);
  return outcome;
}

it("delivers to fast receivers without delay while others are bad", async () => {
  const calm: number[] = [];
  const among: number[] = [];
  // At a low rate, so that the machine is not the limit. The two kinds alternate and the best of each
  // counts, because other load on the machine only ever adds delay.
  const pace = { events: 500, perSecond: 25 };
  for (let round = 0; round < 3; round += 1) {
    calm.push((await measureStorm("calm", { ...pace, areAllHealthy: true })).fastP99Ms);
    among.push((await measureStorm("among bad ones", pace)).fastP99Ms);
  }
  // Below a tenth of a second the machine itself is measured.
  expect(Math.min(...among)).toBeLessThan(2 * Math.max(100, Math.min(...calm)));
}, 1_500_000);

it("delivers twenty thousand events while its workers are killed", async () => {
  const storm = await measureStorm("storm", {
    events: 20_000,
    perSecond: 80,
    kills: { count: 20, seed: 11 },
  });
  expect(storm.kills).toBe(20);
  expect(storm.duplicates / storm.deliveries).toBeLessThan(0.01);
}, 2_400_000);
