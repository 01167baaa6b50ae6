export class TookTooLong extends Error {
  override readonly name = "TookTooLong";
}

/** What has not ended by then is given up; it may still end, and nobody will look at it. */
export async function inTime<Value>(
  work: Value | Promise<Value>,
  patienceMs: number,
): Promise<Value> {
  if (!(work instanceof Promise)) return work;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new TookTooLong(`not done within ${patienceMs} ms`)),
    Math.max(0, patienceMs),
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
