import { describe, expect, it } from "vitest";
import { noProgress, type Run } from "../domain/run.ts";
import { idleMs } from "./run-metrics.ts";

const opened = new Date("2026-11-21T09:00:00Z");
const after = (minutes: number) => new Date(opened.getTime() + minutes * 60_000);

const run: Run = {
  id: "6743f1b2c9e8a45d3f0b7c21",
  job: "subscriptions-due",
  slot: opened,
  covers: null,
  missed: 0,
  status: "running",
  owner: "a scheduler",
  leaseuntil: opened,
  takeovers: 0,
  progress: noProgress,
  createdat: opened,
  startedat: opened,
  endedat: null,
};

describe("idleMs", () => {
  it("is 0 while a scheduler renews the lease, even after hours", () => {
    expect(idleMs({ ...run, leaseuntil: after(181) }, after(180))).toBe(0);
  });

  it("counts from the end of the lease when its scheduler stopped renewing", () => {
    expect(idleMs({ ...run, leaseuntil: after(20) }, after(50))).toBe(30 * 60_000);
  });

  it("counts from the end of the run when it has ended", () => {
    const ended = { ...run, leaseuntil: after(61), endedat: after(60) };
    expect(idleMs({ ...ended, status: "done" }, after(65))).toBe(5 * 60_000);
  });
});
