/**
 * How many messages leave in one write. With larger writes the receiving process is idle until this
 * process has finished all of them, and then this process is idle until the receiver has.
 */
export const messagesPerWriteMax = 16;

/**
 * Collects the items of one event-loop turn and handles them as one batch. A single item waits no
 * longer than the turn takes. A full batch is handled at once.
 *
 * For items without an answer, such as messages to send. Calls that wait for an answer use
 * `batchCalls` or `togetherEachTurn`.
 */
export function batchPerTick<Item>(
  sizeMax: number,
  handle: (items: readonly Item[]) => void,
): (item: Item) => void {
  let pending: Item[] = [];
  const flush = () => {
    const items = pending;
    pending = [];
    if (items.length > 0) handle(items);
  };
  return (item) => {
    const count = pending.push(item);
    if (count === sizeMax) flush();
    else if (count === 1) setImmediate(flush);
  };
}
