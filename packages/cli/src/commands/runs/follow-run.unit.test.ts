import { describe, expect, it } from "vitest";
import { buildProgressLine } from "./follow-run.ts";

describe("the progress line of a run", () => {
  it("shows the finished share, and failures only when there are any", () => {
    const run = {
      job: "subscriptions-due",
      status: "running",
      shares: { done: 4, of: 16 },
      found: 120,
      done: 118,
      skipped: 1,
      failed: 0,
    } as const;
    expect(buildProgressLine(run)).toBe(
      "subscriptions-due running [######..................] 120 found, 118 done, 1 skipped",
    );
    expect(buildProgressLine({ ...run, failed: 1 })).toMatch(/1 skipped, 1 failed$/);
  });
});
