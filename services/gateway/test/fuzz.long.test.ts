import { randomInt } from "node:crypto";
import { allServices, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { fuzz } from "./fuzz.ts";

const system = useSystem(allServices);

/** Another one every time; a failure names it. */
const seed = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));

it(`answers five thousand hostile requests of seed ${seed}`, async () => {
  await expect(fuzz(system, 5_000, seed)).resolves.toBeUndefined();
});
