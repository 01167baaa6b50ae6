import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "@malipo/platform";
import type { Deliveries } from "../store/deliveries.ts";
import type { AttemptResult, UnwrittenDelivery } from "../store/delivery-document.ts";

const batchMax = 500;
const worthWriting = 400;
/** Whoever reads what is due passes over what is not written down yet. */
const gatherMs = 10;
/** Of what is not in the store nothing is read, and a write of many costs half of two. */
const gatherFirstsMs = 30;
const retryMs = 250;

/** Writes down what attempts made of deliveries: whatever ends while one write runs is the next. */
export interface Recorder {
  /** Resolves once it is written. A store that is away is waited for. */
  record(result: AttemptResult): Promise<void>;
  /** Of a delivery that is not written down itself, unless it was kept meanwhile. */
  recordFirst(result: AttemptResult<UnwrittenDelivery>): Promise<void>;
  /**
   * Writes down deliveries whose first attempt takes longer; its outcome comes later. Resolves once
   * they and all that was recorded before them are written.
   */
  keep(deliveries: readonly UnwrittenDelivery[]): Promise<void>;
}

type Entry =
  | { readonly kind: "outcome"; readonly result: AttemptResult }
  | { readonly kind: "first outcome"; readonly result: AttemptResult<UnwrittenDelivery> }
  | { readonly kind: "waiting"; readonly deliveries: readonly UnwrittenDelivery[] };

type Store = Pick<Deliveries, "record" | "recordFirst" | "insert">;

export function createRecorder(deliveries: Store, log: Log): Recorder {
  let waiting: { readonly entry: Entry; readonly done: () => void }[] = [];
  let isWriting = false;
  let isHurried = false;
  /** Ends the gathering for the next write. */
  let writeNow: (() => void) | undefined;
  /** Written down as waiting, until their outcomes come. */
  const kept = new Set<string>();

  /** A write costs more than what is in it, and nobody waits for it but who keeps something. */
  function isWorthWriting(): boolean {
    return isHurried || waiting.length >= worthWriting;
  }

  async function gather(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const isInStore = waiting.some(({ entry }) => entry.kind === "outcome");
    const timer = setTimeout(resolve, isInStore ? gatherMs : gatherFirstsMs);
    writeNow = resolve;
    await promise;
    writeNow = undefined;
    clearTimeout(timer);
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      if (!isWorthWriting()) await gather();
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      isHurried = waiting.some(({ entry }) => entry.kind === "waiting");
      await writeOrWait(batch.map(({ entry }) => entry));
      for (const { done } of batch) done();
    }
    isWriting = false;
  }

  async function writeOrWait(entries: readonly Entry[]): Promise<void> {
    for (;;) {
      try {
        return await write(deliveries, entries, kept);
      } catch (error) {
        log.warn({ err: error }, "outcomes not written; tried again");
        await sleep(retryMs);
      }
    }
  }

  const add = (entry: Entry) =>
    new Promise<void>((done) => {
      waiting.push({ entry, done });
      isHurried ||= entry.kind === "waiting";
      if (!isWriting) void writeAll();
      else if (isWorthWriting()) writeNow?.();
    });

  return {
    record: (result) => add({ kind: "outcome", result }),
    recordFirst: (result) => add({ kind: "first outcome", result }),
    keep: (ones) => add({ kind: "waiting", deliveries: ones }),
  };
}

/** However often it is done, it is as if it had been done once. */
async function write(
  deliveries: Store,
  entries: readonly Entry[],
  kept: Set<string>,
): Promise<void> {
  const firsts: AttemptResult<UnwrittenDelivery>[] = [];
  const others: AttemptResult[] = [];
  const keeping = new Map<string, UnwrittenDelivery>();
  for (const entry of entries) {
    if (entry.kind === "waiting") {
      for (const delivery of entry.deliveries) keeping.set(delivery.id, delivery);
      continue;
    }
    const { result } = entry;
    if (entry.kind === "first outcome" && !kept.has(result.delivery.id)) firsts.push(entry.result);
    else others.push(result);
    // It comes with its outcome.
    keeping.delete(result.delivery.id);
  }
  await Promise.all([
    deliveries.recordFirst(firsts),
    deliveries.record(others),
    deliveries.insert([...keeping.values()]),
  ]);
  for (const { delivery } of others) kept.delete(delivery.id);
  for (const id of keeping.keys()) kept.add(id);
}
