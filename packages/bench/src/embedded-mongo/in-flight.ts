/** Keeps that many operations in flight until the time is up; resolves to the number done. */
export async function keepInFlight(
  inFlight: number,
  seconds: number,
  operation: () => Promise<unknown>,
): Promise<{ readonly operations: number; readonly elapsedMs: number }> {
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  let operations = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < endAt) {
      await operation();
      operations += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return { operations, elapsedMs: performance.now() - startedAt };
}
