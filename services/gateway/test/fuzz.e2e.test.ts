import { allServices, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { fuzz } from "./fuzz.ts";

const system = useSystem(allServices);

it("600 hostile requests all get an answer in the usual form", async () => {
  await expect(fuzz(system, 600, 20_261_121)).resolves.toBeUndefined();
});
