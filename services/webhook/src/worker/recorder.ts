import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@malipo/platform";
import type { Deliveries } from "../deliveries.ts";
import type { AttemptResult } from "../delivery-documents.ts";

const batchMax = 500;
const retryMs = 250;

/** Writes down what attempts made of deliveries: whatever ends while one write runs is the next. */
export interface Recorder {
  /** Resolves once it is written. A store that is away is waited for. */
  record(result: AttemptResult): Promise<void>;
}

export function createRecorder(deliveries: Deliveries, log: Log): Recorder {
  let waiting: { readonly result: AttemptResult; readonly done: () => void }[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      await write(batch.map(({ result }) => result));
      for (const { done } of batch) done();
    }
    isWriting = false;
  }

  async function write(results: readonly AttemptResult[]): Promise<void> {
    for (;;) {
      try {
        return await deliveries.record(results);
      } catch (error) {
        log.warn({ err: error }, "outcomes not written; tried again");
        await sleep(retryMs);
      }
    }
  }

  return {
    record: (result) =>
      new Promise((done) => {
        waiting.push({ result, done });
        if (!isWriting) void writeAll();
      }),
  };
}
