import { allServices, useSystem } from "@malipo/testing";
import { expect, it } from "vitest";
import { fuzz } from "./fuzz.ts";

const system = useSystem(allServices);

it("answers six hundred hostile requests, each in the shape of every answer", async () => {
  await expect(fuzz(system, 600, 20_261_121)).resolves.toBeUndefined();
});
