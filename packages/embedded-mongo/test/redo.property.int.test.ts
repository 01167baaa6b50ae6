import fc from "fast-check";
import { test } from "vitest";
import { history, relive } from "./support/redo-model.ts";

test("whatever is written, undone and killed, the store holds the groups that ended", async () => {
  await fc.assert(fc.asyncProperty(history, relive), { numRuns: 12, seed: 4 });
}, 60_000);
