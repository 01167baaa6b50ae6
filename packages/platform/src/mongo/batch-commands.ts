import { batchCalls, type BatchedCall, type HandleBatch } from "../batching/index.ts";
import { isStoreAway } from "./store-errors.ts";

/**
 * Carries out single calls as one MongoDB command, see `batchCalls`. When a command fails because of
 * one of its items, each item is tried alone, so that only the faulty one is rejected.
 */
export function together<Item, Outcome>(
  sizeMax: number,
  handle: HandleBatch<Item, Outcome>,
): BatchedCall<Item, Outcome> {
  return batchCalls<Item, Outcome>(sizeMax, async (items) => {
    try {
      return await handle(items);
    } catch (error) {
      // After an unknown outcome a second try would meet the effects of the first.
      if (items.length === 1 || isStoreAway(error)) throw error;
      return Promise.all(items.map(async (item) => handleAlone(handle, item)));
    }
  });
}

async function handleAlone<Item, Outcome>(
  handle: HandleBatch<Item, Outcome>,
  item: Item,
): Promise<Outcome | Error> {
  try {
    const [outcome] = await handle([item]);
    return outcome as Outcome | Error;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
