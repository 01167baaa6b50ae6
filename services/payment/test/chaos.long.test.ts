import { startSimulator, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { runChaos } from "./chaos.ts";

const simulator = await startSimulator();
const system = useSystem(["payment"], { env: { MPESA_BASE_URL: simulator.url } });

it("adds up after 2,000 payments, M-Pesa's errors, and processes killed again and again", async () => {
  const chaos = { payments: 2_000, seed: 11, atOnce: 150, killEvery: 80, queries: true };
  const { kills, statuses } = await runChaos(system, simulator, chaos);
  expect(kills).toBe(25);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(500);
}, 2_400_000);
