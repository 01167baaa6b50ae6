import { type BookDocument, ticketsAfter } from "@malipo/platform";
import type { Db } from "mongodb";

/** How many records of a service's collection have something that nobody says has been published. */
export async function countUntold(database: Db, collection: string): Promise<number> {
  const books = await database.collection<BookDocument>("ticketbooks").find().toArray();
  if (books.length === 0) return 0;
  const $or = books.map(({ _id, upto }) => ({ ticket: ticketsAfter(_id, upto) }));
  return database.collection(collection).countDocuments({ $or });
}
