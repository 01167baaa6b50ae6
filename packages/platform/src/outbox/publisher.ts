import type { OutboxPosition } from "./outbox-position.ts";

/** The positions that one process has reserved for its writes, and which of them are complete. */
export interface Publisher {
  readonly id: string;
  reserve(): OutboxPosition;
  owns(position: OutboxPosition): boolean;
  /** The events at the position are published, or its write never happened. */
  complete(position: OutboxPosition): void;
  isComplete(position: OutboxPosition): boolean;
  /** Publishing failed, or the outcome of the write is unknown: the sweep looks for the record. */
  deferToSweep(position: OutboxPosition): void;
  readonly deferred: readonly OutboxPosition[];
  readonly deferredCount: number;
  readonly hasPending: boolean;
  /** Its sequence is nearly used up. */
  readonly isFull: boolean;
  /** All positions up to this sequence are complete. */
  readonly watermark: number;
}

/** Below the sequence that four bytes can hold (4,294,967,295). */
const reservedMax = 4_000_000_000;

export function createPublisher(id: string, fullAt = reservedMax): Publisher {
  let last = 0;
  // A set keeps the order of insertion: the first element is the oldest pending sequence.
  const pending = new Set<number>();
  const deferred = new Set<number>();

  return {
    id,
    reserve: () => {
      last += 1;
      pending.add(last);
      return { publisherId: id, sequence: last };
    },
    owns: ({ publisherId }) => publisherId === id,
    complete: ({ sequence }) => {
      pending.delete(sequence);
      deferred.delete(sequence);
    },
    isComplete: ({ sequence }) => !pending.has(sequence),
    deferToSweep: ({ sequence }) => {
      if (pending.has(sequence)) deferred.add(sequence);
    },
    get deferred() {
      return [...deferred].map((sequence) => ({ publisherId: id, sequence }));
    },
    get deferredCount() {
      return deferred.size;
    },
    get hasPending() {
      return pending.size > 0;
    },
    get isFull() {
      return last >= fullAt;
    },
    get watermark() {
      const [oldest] = pending;
      return oldest === undefined ? last : oldest - 1;
    },
  };
}
