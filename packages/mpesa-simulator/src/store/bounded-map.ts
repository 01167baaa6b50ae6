/** Keeps the newest `max` entries, oldest first. Setting a key again makes its entry the newest. */
export interface BoundedMap<Value> {
  readonly set: (key: string, value: Value) => void;
  readonly get: (key: string) => Value | undefined;
  readonly values: () => Value[];
}

export function createBoundedMap<Value>(max: number): BoundedMap<Value> {
  const entries = new Map<string, Value>();
  return {
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > max && oldest !== undefined) entries.delete(oldest);
    },
    get: (key) => entries.get(key),
    values: () => [...entries.values()],
  };
}
