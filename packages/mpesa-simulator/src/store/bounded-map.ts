/** The last so many of something, oldest first, found by key. */
export interface Ring<Value> {
  readonly add: (key: string, value: Value) => void;
  readonly get: (key: string) => Value | undefined;
  readonly values: () => Value[];
}

export function createRing<Value>(max: number): Ring<Value> {
  const kept = new Map<string, Value>();
  return {
    add: (key, value) => {
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept.keys();
      if (kept.size > max && oldest !== undefined) kept.delete(oldest);
    },
    get: (key) => kept.get(key),
    values: () => [...kept.values()],
  };
}
