import { expect, test } from "vitest";
import { keepInFlight } from "./in-flight.ts";

test("keepInFlight keeps exactly that many operations in flight, and counts the operations done", async () => {
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

test("keepInFlight fails when an operation fails", async () => {
  const result = keepInFlight(2, 1, () => Promise.reject(new Error("refused")));
  await expect(result).rejects.toThrow("refused");
});
