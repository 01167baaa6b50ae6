import { startSimulator, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { runChaos } from "./chaos.ts";

const simulator = await startSimulator();
const system = useSystem(["payment"], {
  env: { MPESA_BASE_URL: simulator.url },
  ownProcess: ["gateway", "payment"],
});

it("payments, receipts and events add up after random M-Pesa faults and killed processes", async () => {
  const chaos = { payments: 40, seed: 7, concurrency: 10, killEvery: 25, waitsForQueries: false };
  const { kills, statuses } = await runChaos(system, simulator, chaos);
  expect(kills).toBe(1);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(15);
}, 240_000);
