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

test("what ran well and crashed is started again at once, however often", () => {
  expect(new Set(delaysOf(Array.from({ length: 50 }, () => crash)))).toEqual(new Set([0]));
});

test("short lives wait longer and longer, but are never given up", () => {
  const delays = delaysOf(Array.from({ length: 10 }, () => shortLife));
  expect(delays).toEqual([0, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
});

test("what never becomes ready is given up", () => {
  const delays = delaysOf(Array.from({ length: 8 }, () => failedStart));
  expect(delays).toEqual([0, 100, 200, 400, 800, 1600, 3200, "give-up"]);
});

test("one good start forgives the failed ones before it", () => {
  const failed = Array.from({ length: 7 }, () => failedStart);
  expect(delaysOf([...failed, crash, ...failed])).not.toContain("give-up");
});
