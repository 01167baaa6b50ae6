import { expect, test } from "vitest";
import { crashRounds } from "./support/crash-rounds.ts";

test("acknowledged writes survive SIGKILL in 60 rounds", async () => {
  expect(await crashRounds(60, () => 50 + Math.random() * 1_000)).toBeGreaterThan(1_000);
});
