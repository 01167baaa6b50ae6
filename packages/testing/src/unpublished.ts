import { countUnpublishedRecords } from "@malipo/platform";
import type { Db } from "mongodb";

/** How many records of a service's collection have events that no watermark covers yet. */
export async function countUnpublished(database: Db, collection: string): Promise<number> {
  return countUnpublishedRecords(database, collection);
}
