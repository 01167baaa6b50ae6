import { openSimulator, type Simulator, type SimulatorOptions } from "@malipo/mpesa-simulator";
import { afterAll } from "vitest";

/**
 * Starts an M-Pesa simulator for one test file, in the file's own process. Outcomes come after 20 ms. It
 * is closed at the end of the file.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { timing, ...rest } = options.settings ?? {};
  const simulator = await openSimulator({
    ...options,
    settings: { ...rest, timing: { outcomeMs: 20, ...timing } },
  });
  afterAll(() => simulator.close());
  return simulator;
}
