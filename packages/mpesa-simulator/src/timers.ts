import { setMaxListeners } from "node:events";

/** Everything that is still to happen, so that closing the simulator can forget it. */
export interface Timers {
  readonly signal: AbortSignal;
  /** Returns what cancels it. */
  after(ms: number, act: () => void): () => void;
  pause(ms: number): Promise<void>;
  count(): number;
  stop(): void;
}

export function createTimers(): Timers {
  const stopping = new AbortController();
  // Every callback under way listens to it.
  setMaxListeners(0, stopping.signal);
  const running = new Set<NodeJS.Timeout>();
  function after(ms: number, act: () => void): () => void {
    if (stopping.signal.aborted) return () => undefined;
    const timer = setTimeout(() => {
      running.delete(timer);
      act();
    }, ms);
    running.add(timer);
    return () => {
      running.delete(timer);
      clearTimeout(timer);
    };
  }
  return {
    signal: stopping.signal,
    after,
    pause: (ms) => new Promise((resolve) => after(ms, resolve)),
    count: () => running.size,
    stop: () => {
      stopping.abort();
      for (const timer of running) clearTimeout(timer);
      running.clear();
    },
  };
}
