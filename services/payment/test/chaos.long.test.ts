import { startSimulator, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { runChaos } from "./chaos.ts";

const simulator = await startSimulator();
const system = useSystem(["payment"], {
  env: { MPESA_BASE_URL: simulator.url },
  ownProcess: ["gateway", "payment"],
});

it("payments, receipts and events add up after 2,000 payments with M-Pesa faults and killed processes", async () => {
  const chaos = {
    payments: 2_000,
    seed: 11,
    concurrency: 150,
    killEvery: 80,
    waitsForQueries: true,
  };
  const { kills, statuses } = await runChaos(system, simulator, chaos);
  expect(kills).toBe(25);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(500);
}, 2_400_000);
