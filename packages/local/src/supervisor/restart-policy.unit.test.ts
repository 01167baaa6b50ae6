import { expect, test } from "vitest";
import { decideRestart, noRestarts, type EndedRun } from "./restart-policy.ts";

function delaysOf(runs: readonly EndedRun[]): (number | "give-up")[] {
  let history = noRestarts;
  return runs.map((run) => {
    const restart = decideRestart(history, run);
    if (restart.kind === "give-up") return "give-up";
    history = restart.history;
    return restart.delayMs;
  });
}

const crash = { becameReady: true, livedMs: 60_000 };
const shortLife = { becameReady: true, livedMs: 900 };
const failedStart = { becameReady: false, livedMs: 200 };

test("a program that crashes after a long life is always restarted at once", () => {
  expect(new Set(delaysOf(Array.from({ length: 50 }, () => crash)))).toEqual(new Set([0]));
});

test("the delay doubles after short lives up to 5 s, and the program is never given up", () => {
  const delays = delaysOf(Array.from({ length: 10 }, () => shortLife));
  expect(delays).toEqual([0, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
});

test("a program that never becomes ready is given up at the eighth start", () => {
  const delays = delaysOf(Array.from({ length: 8 }, () => failedStart));
  expect(delays).toEqual([0, 100, 200, 400, 800, 1600, 3200, "give-up"]);
});

test("a start that becomes ready resets the count of failed starts", () => {
  const failed = Array.from({ length: 7 }, () => failedStart);
  expect(delaysOf([...failed, crash, ...failed])).not.toContain("give-up");
});
