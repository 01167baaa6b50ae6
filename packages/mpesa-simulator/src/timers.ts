import { setMaxListeners } from "node:events";

/** All pending timers of one simulator. Closing the simulator cancels them together. */
export interface Timers {
  /** Aborted when the timers stop. */
  readonly signal: AbortSignal;
  /** Returns a function that cancels the timer. */
  after(ms: number, act: () => void): () => void;
  pause(ms: number): Promise<void>;
  count(): number;
  stop(): void;
}

export function createTimers(): Timers {
  const stopping = new AbortController();
  // Every callback in flight adds a listener, so Node's warning about many listeners is switched off.
  setMaxListeners(0, stopping.signal);
  const pending = new Set<NodeJS.Timeout>();
  function after(ms: number, act: () => void): () => void {
    if (stopping.signal.aborted) return () => undefined;
    const timer = setTimeout(() => {
      pending.delete(timer);
      act();
    }, ms);
    pending.add(timer);
    return () => {
      pending.delete(timer);
      clearTimeout(timer);
    };
  }
  return {
    signal: stopping.signal,
    after,
    pause: (ms) => new Promise((resolve) => after(ms, resolve)),
    count: () => pending.size,
    stop: () => {
      stopping.abort();
      for (const timer of pending) clearTimeout(timer);
      pending.clear();
    },
  };
}
