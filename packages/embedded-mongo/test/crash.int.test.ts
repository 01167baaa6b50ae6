import { expect, test } from "vitest";
import { crashRounds } from "./support/crash-rounds.ts";

test("acknowledged writes survive SIGKILL", { timeout: 120_000 }, async () => {
  let round = 0;
  expect(await crashRounds(4, () => 150 + 90 * round++)).toBeGreaterThan(50);
});
