import fc from "fast-check";
import { test } from "vitest";
import { history, replayHistory } from "./support/journal-model.ts";

test("the store contains exactly the ended groups after random writes, rollbacks and kills", async () => {
  await fc.assert(fc.asyncProperty(history, replayHistory), { numRuns: 12, seed: 4 });
}, 60_000);
