import fc from "fast-check";
import { expect, test } from "vitest";
import { history, replayHistory } from "./support/journal-model.ts";

const commit = (...ids: readonly number[]) =>
  ({ kind: "group", writes: ids.map((id) => ({ id, value: id })), ending: "committed" }) as const;

test("the store contains exactly the ended groups after random writes, rollbacks and kills", async () => {
  await fc.assert(fc.asyncProperty(history, replayHistory), { numRuns: 12, seed: 4 });
}, 60_000);

test("a record id is free again only when the removal of its document is committed", async () => {
  const writes = [
    { id: 1, value: undefined },
    { id: 2, value: undefined },
    { id: 3, value: 3 },
  ];
  for (const undone of [
    { kind: "overlay", writes },
    { kind: "group", writes, ending: "rolledBack" },
  ] as const) {
    const steps = [commit(1, 2), { kind: "kill", unfinished: [] } as const, undone, commit(3)];
    await expect(replayHistory({ redoBytesMax: 1, steps })).resolves.toBeUndefined();
  }
});
