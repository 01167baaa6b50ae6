import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@malipo/platform";
import type { AttemptResult, UnstoredDelivery } from "../domain/delivery.ts";
import type { Deliveries } from "../store/deliveries.ts";

const batchMax = 500;
/** With this many entries a write does not wait for more. */
const fullBatch = 400;
/** A read of due deliveries leaves out what is not stored yet, so stored deliveries wait briefly. */
const gatherMs = 10;
/** No read can see deliveries that are not stored, and one large write costs half as much as two. */
const gatherFirstMs = 30;
const retryMs = 250;

/** Stores the outcomes of attempts in batches. Outcomes that come during a write are the next batch. */
export interface Recorder {
  /** Resolves when it is stored. While the store is away, it retries. */
  record(result: AttemptResult): Promise<void>;
  /** Stores the delivery with its outcome, or the outcome only if `keep` has stored the delivery. */
  recordFirst(result: AttemptResult<UnstoredDelivery>): Promise<void>;
  /**
   * Stores deliveries as waiting while their first attempts are under way. Resolves when they and
   * all outcomes recorded before are stored.
   */
  keep(deliveries: readonly UnstoredDelivery[]): Promise<void>;
}

type Entry =
  | { readonly kind: "outcome"; readonly result: AttemptResult }
  | { readonly kind: "first outcome"; readonly result: AttemptResult<UnstoredDelivery> }
  | { readonly kind: "waiting"; readonly deliveries: readonly UnstoredDelivery[] };

type Store = Pick<Deliveries, "record" | "recordFirst" | "insert">;

export function createRecorder(deliveries: Store, log: Log): Recorder {
  let entries: { readonly entry: Entry; readonly resolve: () => void }[] = [];
  let isWriting = false;
  let isUrgent = false;
  let endGathering: (() => void) | undefined;
  /** Ids of deliveries that are stored as waiting until their outcomes come. */
  const kept = new Set<string>();

  /** Only a caller of `keep` waits for a write. All other entries are gathered, to save writes. */
  function isWriteDue(): boolean {
    return isUrgent || entries.length >= fullBatch;
  }

  async function gather(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const hasStored = entries.some(({ entry }) => entry.kind === "outcome");
    const timer = setTimeout(resolve, hasStored ? gatherMs : gatherFirstMs);
    endGathering = resolve;
    await promise;
    endGathering = undefined;
    clearTimeout(timer);
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (entries.length > 0) {
      if (!isWriteDue()) await gather();
      const batch = entries.slice(0, batchMax);
      entries = entries.slice(batchMax);
      isUrgent = entries.some(({ entry }) => entry.kind === "waiting");
      await writeWithRetry(batch.map(({ entry }) => entry));
      for (const { resolve } of batch) resolve();
    }
    isWriting = false;
  }

  async function writeWithRetry(batch: readonly Entry[]): Promise<void> {
    for (;;) {
      try {
        return await write(deliveries, batch, kept);
      } catch (error) {
        log.warn({ err: error }, "storing outcomes failed; will retry");
        await sleep(retryMs);
      }
    }
  }

  const add = (entry: Entry) =>
    new Promise<void>((resolve) => {
      entries.push({ entry, resolve });
      isUrgent ||= entry.kind === "waiting";
      if (!isWriting) void writeAll();
      else if (isWriteDue()) endGathering?.();
    });

  return {
    record: (result) => add({ kind: "outcome", result }),
    recordFirst: (result) => add({ kind: "first outcome", result }),
    keep: (waiting) => add({ kind: "waiting", deliveries: waiting }),
  };
}

/** Idempotent, so that it can be retried. */
async function write(
  deliveries: Store,
  entries: readonly Entry[],
  kept: Set<string>,
): Promise<void> {
  const firsts: AttemptResult<UnstoredDelivery>[] = [];
  const others: AttemptResult[] = [];
  const waiting = new Map<string, UnstoredDelivery>();
  for (const entry of entries) {
    if (entry.kind === "waiting") {
      for (const delivery of entry.deliveries) waiting.set(delivery.id, delivery);
      continue;
    }
    const { result } = entry;
    if (entry.kind === "first outcome" && !kept.has(result.delivery.id)) firsts.push(entry.result);
    else others.push(result);
    // The outcome is in this batch already, so the delivery is stored with it.
    waiting.delete(result.delivery.id);
  }
  await Promise.all([
    deliveries.recordFirst(firsts),
    deliveries.record(others),
    deliveries.insert([...waiting.values()]),
  ]);
  for (const { delivery } of others) kept.delete(delivery.id);
  for (const id of waiting.keys()) kept.add(id);
}
