/** No longer is waited for any, however many they are. */
const waitMaxMs = 500;
/** When half are done, the others have as long again, and this much more. */
const tailMs = 20;

export interface Patience {
  readonly ended: Promise<void>;
  /** One more is. */
  done(): void;
  /** How long half of them took, once they are. */
  halfMs(): number | undefined;
}

/** Waits until all are done, but not for the last few of very many, and never longer than that. */
export function createPatience(count: number, longestMs: number): Patience {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const beganAtMs = performance.now();
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
    done: () => {
      left -= 1;
      if (left === 0) resolve();
      else if (!isOver && left === Math.floor(count / 2)) {
        halfMs = performance.now() - beganAtMs;
        timers.push(setTimeout(resolve, halfMs + tailMs));
      }
    },
  };
}
