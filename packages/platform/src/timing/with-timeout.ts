import { roundTimeout } from "./rounded-timeout.ts";

export class TookTooLong extends Error {
  override readonly name = "TimedOut";
}

/** Rejects when the work is not done in time. The work itself goes on; its result is dropped. */
export function inTime<Value>(work: Value | Promise<Value>, timeoutMs: number): Promise<Value> {
  if (!(work instanceof Promise)) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new TookTooLong(`not done within ${timeoutMs} ms`)),
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
