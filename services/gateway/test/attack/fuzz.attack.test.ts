import { randomInt } from "node:crypto";
import { allServices, overPodMemory, podEnvironment, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { fuzz } from "../fuzz.ts";

const system = useSystem(allServices, {
  envOf: podEnvironment,
  ownProcess: ["gateway", ...allServices],
});

/** A new seed in every run. A failure names it; FUZZ_SEED repeats the run. */
const seed = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));
const count = Number(process.env["FUZZ_COUNT"] ?? 100_000);
/** Far more than a request takes on a slow machine, so that only a hang ends the test. */
const msForEach = 50;

it(
  `${count} hostile requests of seed ${seed} get no 5xx, and each process stays in its pod's memory`,
  { timeout: 60_000 + count * msForEach },
  async () => {
    await expect(fuzz(system, count, seed)).resolves.toBeUndefined();
    expect(overPodMemory(system.gateway().services)).toEqual([]);
  },
);
