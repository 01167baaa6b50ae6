import { expect, test } from "vitest";
import { keepInFlight } from "./in-flight.ts";

test("keeps so many in flight, no more, and counts what was done within the time", async () => {
  let now = 0;
  let highest = 0;
  let done = 0;
  const { operations, elapsedMs } = await keepInFlight(8, 0.05, async () => {
    now += 1;
    highest = Math.max(highest, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    done += 1;
  });
  expect(highest).toBe(8);
  expect(operations).toBe(done);
  expect(elapsedMs).toBeGreaterThanOrEqual(50);
});

test("an operation that fails ends the measurement", async () => {
  const result = keepInFlight(2, 1, () => Promise.reject(new Error("refused")));
  await expect(result).rejects.toThrow("refused");
});
