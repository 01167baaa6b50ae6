/** No longer is waited for any, however many they are. */
const waitMaxMs = 500;
/** When half are done, the others have as long again, and this much more. */
const tailMs = 20;

export interface Patience {
  readonly ended: Promise<void>;
  /** One is begun. */
  begun(): void;
  /** One more is. */
  done(): void;
  /** How long half of them took since the first was begun, once they are. */
  halfMs(): number | undefined;
}

/** Waits until all are done, but not for the last few of very many, and never longer than that. */
export function createPatience(count: number, longestMs: number): Patience {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const sinceMs = performance.now();
  let begunAtMs: number | undefined;
  const timers = [setTimeout(resolve, Math.min(waitMaxMs, longestMs))];
  let left = count;
  let halfMs: number | undefined;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
    timers.forEach(clearTimeout);
  });
  return {
    ended,
    halfMs: () => halfMs,
    begun: () => {
      begunAtMs ??= performance.now();
    },
    done: () => {
      left -= 1;
      if (left === 0) resolve();
      else if (!isOver && left === Math.floor(count / 2)) {
        const nowMs = performance.now();
        halfMs = nowMs - (begunAtMs ?? sinceMs);
        timers.push(setTimeout(resolve, nowMs - sinceMs + tailMs));
      }
    },
  };
}
