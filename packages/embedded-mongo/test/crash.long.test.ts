import { expect, test } from "vitest";
import { crashRounds } from "./support/crash-rounds.ts";

test("nothing acknowledged is lost to SIGKILL, in many rounds", async () => {
  expect(await crashRounds(60, () => 50 + Math.random() * 1_000)).toBeGreaterThan(1_000);
});
