const stepMs = 20;
/** Shorter timeouts are not rounded. */
const shortMs = 1_000;

/**
 * Rounds a timeout up to a multiple of 20 ms. Node keeps one list of timers for each length, so many
 * different lengths make a request's timer twice as expensive. The result is never shorter: until its
 * deadline a request may still be carried out, so its caller must not give up before.
 */
export function roundTimeout(ms: number): number {
  return ms < shortMs ? Math.max(0, ms) : Math.ceil(ms / stepMs) * stepMs;
}

export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

/** Rejects when the work is not done in time. The work itself goes on; its result is dropped. */
export function withTimeout<Value>(
  work: Value | Promise<Value>,
  timeoutMs: number,
): Promise<Value> {
  if (!(work instanceof Promise)) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new TimedOut(`not done within ${timeoutMs} ms`)),
      roundTimeout(timeoutMs),
    );
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
