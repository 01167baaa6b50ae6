import { describe, expect, it } from "vitest";
import { VersionConflict } from "./record-errors.ts";
import { type RecordUpdate, updateRecord } from "./update-record.ts";

/** A counter that another writer changes before each of the first saves. */
function counterWithConflicts(conflicts: number) {
  let version = 1;
  let saves = 0;
  const update = {
    find: async () => version,
    decide: (found: number) => `after ${found}`,
    save: async () => {
      saves += 1;
      if (saves > conflicts) return;
      version += 1;
      throw new VersionConflict("counter");
    },
  } satisfies Omit<RecordUpdate<number, string>, "onConflict">;
  return { update, saves: () => saves };
}

describe("updateRecord", () => {
  it("reads and decides again after each conflict when it retries", async () => {
    const { update } = counterWithConflicts(3);
    const outcome = await updateRecord({ ...update, onConflict: "retry" });
    expect(outcome).toEqual({ found: 4, change: "after 4" });
  });

  it("gives up after 100 conflicts in a row", async () => {
    const { update, saves } = counterWithConflicts(1_000);
    const updating = updateRecord({ ...update, onConflict: "retry" });
    await expect(updating).rejects.toThrow(VersionConflict);
    expect(saves()).toBe(100);
  });

  it("rejects with the first conflict when the caller decides again", async () => {
    const { update, saves } = counterWithConflicts(1);
    const updating = updateRecord({ ...update, onConflict: "throw" });
    await expect(updating).rejects.toThrow(VersionConflict);
    expect(saves()).toBe(1);
  });

  it("changes nothing after a conflict when the work comes again", async () => {
    const { update, saves } = counterWithConflicts(1);
    const outcome = await updateRecord({ ...update, onConflict: "skip" });
    expect(outcome).toEqual({ found: 1, change: null });
    expect(saves()).toBe(1);
  });

  it("saves nothing when there is no record or nothing to change", async () => {
    const { update, saves } = counterWithConflicts(0);
    const absent = { ...update, find: async () => null, onConflict: "retry" } as const;
    expect(await updateRecord(absent)).toBeNull();
    const unchanged = { ...update, decide: () => null, onConflict: "retry" } as const;
    expect(await updateRecord<number, string>(unchanged)).toEqual({ found: 1, change: null });
    expect(saves()).toBe(0);
  });

  it("passes on any other error of the save", async () => {
    const { update } = counterWithConflicts(0);
    const failure = new Error("disk full");
    const failing = {
      ...update,
      save: () => Promise.reject(failure),
      onConflict: "retry",
    } as const;
    await expect(updateRecord(failing)).rejects.toBe(failure);
  });
});
