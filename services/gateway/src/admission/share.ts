export interface ShareOptions {
  /** Requests that may hold a place at once. */
  readonly max: number;
  /** Of them, requests of one client. */
  readonly perClientMax?: number;
}

/** A part of the gateway that requests of one kind share, and no other request can use. */
export interface Share {
  /** Returns the function that gives the place back; null if the client gets no place. */
  take(client: string): (() => void) | null;
}

/**
 * A client may hold as many places as are still free (a dynamic threshold, as switches use for
 * their buffers). So one greedy client leaves half of the places to others, and nine leave a tenth:
 * a new client always finds one. A client that is alone gets half without a limit of its own.
 */
export function createShare({ max, perClientMax = max }: ShareOptions): Share {
  const heldBy = new Map<string, number>();
  let held = 0;

  function give(client: string): void {
    const own = heldBy.get(client) ?? 0;
    held -= 1;
    if (own > 1) heldBy.set(client, own - 1);
    else heldBy.delete(client);
  }

  return {
    take(client) {
      const own = heldBy.get(client) ?? 0;
      if (own >= Math.min(max - held, perClientMax)) return null;
      held += 1;
      heldBy.set(client, own + 1);
      return () => give(client);
    },
  };
}
