import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TimedOut, withTimeout, roundTimeout } from "./timeouts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a timeout", () => {
  it("passes on the result or the error of its work, and clears its timer", async () => {
    const work = Promise.withResolvers<string>();
    const ended = withTimeout(work.promise, 5_000);
    expect(vi.getTimerCount()).toBe(1);
    work.resolve("done");
    await expect(ended).resolves.toBe("done");
    expect(vi.getTimerCount()).toBe(0);

    const failing = withTimeout(Promise.reject(new Error("a bug")), 5_000);
    await expect(failing).rejects.toThrow("a bug");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("sets no timer for a value that is not a promise", async () => {
    const ended = withTimeout("there", 5_000);
    expect(vi.getTimerCount()).toBe(0);
    await expect(ended).resolves.toBe("there");
  });

  it.each([-3, 0])("rejects at once when it is %i ms", async (timeoutMs) => {
    const ended = withTimeout(new Promise<never>(() => undefined), timeoutMs);
    vi.advanceTimersByTime(1);
    await expect(ended).rejects.toThrow(TimedOut);
  });

  it.each([15, 4_987, 5_000])("rejects after %i ms, not before", async (timeoutMs) => {
    const ended = withTimeout(new Promise<never>(() => undefined), timeoutMs);
    vi.advanceTimersByTime(timeoutMs - 1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(20);
    await expect(ended).rejects.toThrow(TimedOut);
  });
});

describe("roundTimeout", () => {
  it("never shortens a timeout, and lengthens it by less than 20 ms", () => {
    for (let ms = -50; ms < 6_000; ms += 1) {
      const rounded = roundTimeout(ms);
      expect(rounded).toBeGreaterThanOrEqual(Math.max(0, ms));
      expect(rounded).toBeLessThan(Math.max(0, ms) + 20);
    }
  });

  it("maps 200 different timeouts to 11 lengths", () => {
    const lengths = Array.from({ length: 200 }, (_, index) => roundTimeout(4_800 + index));
    expect(new Set(lengths).size).toBe(11);
  });
});
