import { openSimulator, type Simulator, type SimulatorOptions } from "@malipo/mpesa-simulator";
import { afterAll } from "vitest";

/** M-Pesa of a test file's own, in its process and with outcomes in no time; gone with the file. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { timing, ...rest } = options.settings ?? {};
  const simulator = await openSimulator({
    ...options,
    settings: { ...rest, timing: { outcomeMs: 20, ...timing } },
  });
  afterAll(() => simulator.close());
  return simulator;
}
