import { isStoreAway } from "./mongo.ts";
import { inGroups } from "./turn.ts";

interface Asked<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does in one command what callers ask for one by one; each gets its own outcome, in their order. The
 * busier it is, the more share a command.
 */
export function together<Item, Outcome>(
  groupMax: number,
  handle: (items: readonly Item[]) => Promise<readonly Outcome[]>,
): (item: Item) => Promise<Outcome> {
  type Waiting = Asked<Item, Outcome>;

  async function answer(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await handle(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(outcomes[index] as Outcome));
    } catch (error) {
      // One that cannot be done at all must not take the others with it.
      if (group.length === 1 || isStoreAway(error)) {
        return group.forEach(({ reject }) => reject(error));
      }
      await Promise.all(group.map(async (one) => answer([one])));
    }
  }

  const ask = inGroups<Waiting>(groupMax, answer);
  return (item) =>
    new Promise((resolve, reject) => {
      ask({ item, resolve, reject });
    });
}
