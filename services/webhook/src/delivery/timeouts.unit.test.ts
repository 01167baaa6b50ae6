import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createPatience } from "./timeouts.ts";

/** After how many milliseconds it ended. */
async function waitedMs({ ended }: { readonly ended: Promise<void> }): Promise<number> {
  const began = performance.now();
  let endedAt = Infinity;
  void ended.then(() => (endedAt = performance.now()));
  await vi.advanceTimersByTimeAsync(2_000);
  return endedAt - began;
}

describe("patience", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  });

  it("ends with the last", async () => {
    const patience = createPatience(3, 50);
    for (let done = 0; done < 3; done += 1) setTimeout(() => patience.done(), 10 * done);
    expect(await waitedMs(patience)).toBe(20);
  });

  it("is no longer than it is told, nor ever longer than half a second", async () => {
    expect(await waitedMs(createPatience(1, 50))).toBe(50);
    expect(await waitedMs(createPatience(400, 4_000))).toBe(500);
  });

  it("is as long again once half are done, and a little more", async () => {
    const patience = createPatience(10, 400);
    for (let done = 0; done < 9; done += 1) setTimeout(() => patience.done(), 30);
    expect(await waitedMs(patience)).toBe(80);
  });

  it("says how long half of them took, without what they waited for others", async () => {
    const patience = createPatience(4, 400);
    setTimeout(() => patience.begun(), 100);
    for (const atMs of [120, 130, 140, 150]) setTimeout(() => patience.done(), atMs);
    expect(await waitedMs(patience)).toBe(150);
    expect(patience.halfMs()).toBe(30);
  });

  it("is over once: what ends later leaves no timer behind", async () => {
    const patience = createPatience(4, 50);
    await vi.advanceTimersByTimeAsync(100);
    patience.done();
    patience.done();
    expect(vi.getTimerCount()).toBe(0);
  });
});
