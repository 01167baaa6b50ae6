import { randomInt } from "node:crypto";
import { allServices, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { fuzz } from "./fuzz.ts";

const system = useSystem(allServices);

/** A new seed in every run. A failure names it; FUZZ_SEED repeats the run. */
const seed = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));

it(`5,000 hostile requests of seed ${seed} all get an answer in the usual form`, async () => {
  await expect(fuzz(system, 5_000, seed)).resolves.toBeUndefined();
});
