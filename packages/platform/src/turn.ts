/**
 * Hands over together what comes in one turn of the event loop: one write instead of many, one
 * query instead of many. Alone, an item waits no longer than the turn takes.
 */
export function eachTurn<Item>(
  batchMax: number,
  handle: (items: readonly Item[]) => void,
): (item: Item) => void {
  let waiting: Item[] = [];
  const handOver = () => {
    const items = waiting;
    waiting = [];
    for (let from = 0; from < items.length; from += batchMax) {
      handle(items.slice(from, from + batchMax));
    }
  };
  return (item) => {
    if (waiting.push(item) === 1) setImmediate(handOver);
  };
}
