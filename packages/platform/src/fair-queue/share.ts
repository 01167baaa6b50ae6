export interface ShareOptions {
  /** Places, or bytes, that may be held at once. */
  readonly max: number;
  /** Of them, those of one client. */
  readonly perClientMax?: number;
}

/** What is bounded and given out at once or not at all, such as places for requests of one kind. */
export interface Share {
  /** Returns the function that gives the amount back; null if the client gets nothing. */
  take(client: string, amount?: number): (() => void) | null;
}

/**
 * A client may hold as much as is still free (a dynamic threshold, as switches use for their
 * buffers). So one greedy client leaves half to others, and nine leave a tenth: a new client always
 * finds room. A client that is alone gets half without a limit of its own.
 */
export function createShare({ max, perClientMax = max }: ShareOptions): Share {
  const heldBy = new Map<string, number>();
  let held = 0;

  function give(client: string, amount: number): void {
    const rest = (heldBy.get(client) ?? 0) - amount;
    held -= amount;
    if (rest > 0) heldBy.set(client, rest);
    else heldBy.delete(client);
  }

  return {
    take(client, amount = 1) {
      const own = (heldBy.get(client) ?? 0) + amount;
      if (own > Math.min(max - held, perClientMax)) return null;
      held += amount;
      heldBy.set(client, own);
      return () => give(client, amount);
    },
  };
}
