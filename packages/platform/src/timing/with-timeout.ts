import { evenPatience } from "./rounded-timeout.ts";

export class TookTooLong extends Error {
  override readonly name = "TookTooLong";
}

/** What has not ended by then is given up; it may still end, and nobody will look at it. */
export function inTime<Value>(work: Value | Promise<Value>, patienceMs: number): Promise<Value> {
  if (!(work instanceof Promise)) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new TookTooLong(`not done within ${patienceMs} ms`)),
      evenPatience(patienceMs),
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
