import { addMs } from "@malipo/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AttemptResult, UnstoredDelivery } from "../domain/delivery.ts";
import { createRecorder } from "./recorder.ts";

const now = new Date("2026-11-21T08:00:00Z");

function delivery(id: string): UnstoredDelivery {
  return {
    id,
    businessid: "b",
    endpointid: "e",
    eventid: `evt_${id}`,
    type: "payment.completed",
    resourceid: "r",
    sequence: 1,
    body: "{}",
    dueat: now,
    createdat: now,
    tries: 0,
    version: 1,
  };
}

function resultOf(one: UnstoredDelivery): AttemptResult<UnstoredDelivery> {
  return {
    delivery: one,
    attempt: { id: "a", at: now, milliseconds: 1, status: 200, problem: null, response: "" },
    outcome: { status: "delivered", tries: 0, dueat: null, problem: null, failedat: null },
  };
}

function ids(results: readonly AttemptResult[]): string[] {
  return results.map((one) => one.delivery.id);
}

/** A recorder on a store that collects its writes. The first writes fail `failures` times. */
function startRecorder(failures = 0) {
  const written: Record<"first" | "outcome" | "waiting", string[]>[] = [];
  let left = failures;
  const open = { first: [] as string[], outcome: [] as string[], waiting: [] as string[] };
  const store = {
    recordFirst: async (results: readonly AttemptResult[]) => {
      left -= 1;
      if (left >= 0) throw new Error("away");
      open.first = ids(results);
    },
    record: async (results: readonly AttemptResult[]) => {
      open.outcome = ids(results);
    },
    insert: async (ones: readonly { readonly id: string }[]) => {
      open.waiting = ones.map(({ id }) => id);
      if (left < 0) written.push({ ...open });
    },
  };
  const log = { warn: () => undefined } as unknown as Parameters<typeof createRecorder>[1];
  return { recorder: createRecorder(store, log), written };
}

describe("the recorder", () => {
  it("stores outcomes of one moment in one batch, and those that come during a write in the next", async () => {
    const { recorder, written } = startRecorder();
    const ones = ["1", "2"].map(delivery);
    await Promise.all(ones.map((one) => recorder.recordFirst(resultOf(one))));
    const keeping = recorder.keep([delivery("3")]);
    await Promise.all([keeping, recorder.recordFirst(resultOf(delivery("4")))]);
    expect(written).toEqual([
      { first: ["1", "2"], outcome: [], waiting: [] },
      { first: [], outcome: [], waiting: ["3"] },
      { first: ["4"], outcome: [], waiting: [] },
    ]);
  });

  it("writes at once when keep is called, and when a batch is full", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { recorder, written } = startRecorder();
    void recorder.recordFirst(resultOf(delivery("1")));
    await recorder.keep([]);
    const many = Array.from({ length: 400 }, (_, index) => delivery(String(index)));
    await Promise.all(many.map((one) => recorder.recordFirst(resultOf(one))));
    expect(written.map(({ first }) => first.length)).toEqual([1, 400]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("updates a kept delivery, and inserts any other with its outcome", async () => {
    const { recorder, written } = startRecorder();
    const [one, two] = [delivery("1"), delivery("2")];
    await recorder.keep([one]);
    await Promise.all([
      recorder.recordFirst(resultOf(one)),
      recorder.keep([two]),
      recorder.recordFirst(resultOf(two)),
    ]);
    // It is no longer kept, so it is inserted like a first one.
    await recorder.recordFirst(resultOf(one));
    expect(written).toEqual([
      { first: [], outcome: [], waiting: ["1"] },
      { first: ["2"], outcome: ["1"], waiting: [] },
      { first: ["1"], outcome: [], waiting: [] },
    ]);
  });

  it("resolves keep only when all earlier outcomes are stored", async () => {
    const { recorder, written } = startRecorder();
    void recorder.recordFirst(resultOf(delivery("1")));
    void recorder.record(resultOf(delivery("2")));
    await recorder.keep([]);
    expect(written.flatMap(({ first, outcome }) => [...first, ...outcome])).toEqual(["1", "2"]);
  });

  it("retries while the store is away", async () => {
    const { recorder, written } = startRecorder(1);
    await recorder.recordFirst(resultOf({ ...delivery("1"), dueat: addMs(now, 1) }));
    expect(written).toEqual([{ first: ["1"], outcome: [], waiting: [] }]);
  });
});
