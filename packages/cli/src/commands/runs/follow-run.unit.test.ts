import { describe, expect, it } from "vitest";
import { progressLine } from "./follow-run.ts";

describe("the line of a run", () => {
  it("grows with what is finished, and names trouble only where there is some", () => {
    const run = {
      job: "subscriptions-due",
      status: "running",
      shares: { done: 4, of: 16 },
      found: 120,
      done: 118,
      skipped: 1,
      failed: 0,
    } as const;
    expect(progressLine(run)).toBe(
      "subscriptions-due running [######..................] 120 found, 118 done, 1 skipped",
    );
    expect(progressLine({ ...run, failed: 1 })).toMatch(/1 skipped, 1 failed$/);
  });
});
