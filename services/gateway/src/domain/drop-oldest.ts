/** A map or set of bounded size. Both list their oldest key first. */
interface Bounded {
  readonly size: number;
  keys(): Iterable<string>;
  delete(key: string): boolean;
}

/** Makes room for one more key. */
export function dropOldest(bounded: Bounded, sizeMax: number): void {
  const [oldest] = bounded.keys();
  if (bounded.size >= sizeMax && oldest !== undefined) bounded.delete(oldest);
}
