import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { evenPatience } from "./rounded-timeout.ts";
import { inTime, TookTooLong } from "./with-timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("what is waited for", () => {
  it("ends as it ends, and leaves no timer behind", async () => {
    const work = Promise.withResolvers<string>();
    const ended = inTime(work.promise, 5_000);
    expect(vi.getTimerCount()).toBe(1);
    work.resolve("done");
    await expect(ended).resolves.toBe("done");
    expect(vi.getTimerCount()).toBe(0);

    const failing = inTime(Promise.reject(new Error("a bug")), 5_000);
    await expect(failing).rejects.toThrow("a bug");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("needs no timer if it is there already", async () => {
    const ended = inTime("there", 5_000);
    expect(vi.getTimerCount()).toBe(0);
    await expect(ended).resolves.toBe("there");
  });

  it.each([-3, 0])("is given up at once after %i ms", async (patienceMs) => {
    const ended = inTime(new Promise<never>(() => undefined), patienceMs);
    vi.advanceTimersByTime(1);
    await expect(ended).rejects.toThrow(TookTooLong);
  });

  it.each([15, 4_987, 5_000])("is given up after %i ms, not before", async (patienceMs) => {
    const ended = inTime(new Promise<never>(() => undefined), patienceMs);
    vi.advanceTimersByTime(patienceMs - 1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(20);
    await expect(ended).rejects.toThrow(TookTooLong);
  });
});

describe("an even patience", () => {
  it("is never shorter than it was, and hardly longer", () => {
    for (let ms = -50; ms < 6_000; ms += 1) {
      const even = evenPatience(ms);
      expect(even).toBeGreaterThanOrEqual(Math.max(0, ms));
      expect(even).toBeLessThan(Math.max(0, ms) + 20);
    }
  });

  it("has few lengths where there were many", () => {
    const lengths = Array.from({ length: 200 }, (_, index) => evenPatience(4_800 + index));
    expect(new Set(lengths).size).toBe(11);
  });
});
