import { isStoreAway } from "../mongo/connection.ts";
import { eachTurn, inGroups } from "./turn.ts";

interface Asked<Item, Outcome> {
  readonly item: Item;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

type Handle<Item, Outcome> = (items: readonly Item[]) => Promise<readonly Outcome[]>;
type Together<Item, Outcome> = (item: Item) => Promise<Outcome>;

/**
 * Does in one command what callers ask for one by one; each gets its own outcome, in their order. The
 * busier it is, the more share a command.
 */
export function together<Item, Outcome>(
  groupMax: number,
  handle: Handle<Item, Outcome>,
): Together<Item, Outcome> {
  return answering(handle, (answer) => inGroups(groupMax, answer));
}

/** The same for what is asked for in one turn: whatever comes of it, nobody else waits for that. */
export function togetherEachTurn<Item, Outcome>(
  batchMax: number,
  handle: Handle<Item, Outcome>,
): Together<Item, Outcome> {
  return answering(handle, (answer) => eachTurn(batchMax, (batch) => void answer(batch)));
}

function answering<Item, Outcome>(
  handle: Handle<Item, Outcome>,
  gather: (
    answer: (group: readonly Asked<Item, Outcome>[]) => Promise<void>,
  ) => (asked: Asked<Item, Outcome>) => void,
): Together<Item, Outcome> {
  async function answer(group: readonly Asked<Item, Outcome>[]): Promise<void> {
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

  const ask = gather(answer);
  return (item) =>
    new Promise((resolve, reject) => {
      ask({ item, resolve, reject });
    });
}
