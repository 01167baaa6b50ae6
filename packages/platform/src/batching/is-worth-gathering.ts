/**
 * True after a batch of several items that left room for more: under such a load it pays to wait a
 * moment, so that the next batch is larger.
 */
export function isWorthGathering(size: number, sizeMax: number): boolean {
  return size >= 4 && size < sizeMax / 2;
}
