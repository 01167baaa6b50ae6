const nothingYet = Symbol("nothing yet");

/** Whatever has arrived, as one batch: full under load, a single message without delay otherwise. */
export async function* batchesOf<Item>(
  source: AsyncIterable<Item>,
  max: number,
): AsyncGenerator<Item[]> {
  const items = source[Symbol.asyncIterator]();
  let next = items.next();
  for (;;) {
    const first = await next;
    if (first.done) return;
    const batch = [first.value];
    next = items.next();
    while (batch.length < max) {
      const arrived = await Promise.race([
        next,
        new Promise<typeof nothingYet>((pass) => setImmediate(pass, nothingYet)),
      ]);
      if (arrived === nothingYet || arrived.done) break;
      batch.push(arrived.value);
      next = items.next();
    }
    yield batch;
  }
}
