import { type Db, type Document, ObjectId } from "mongodb";

/** How many records of a service's collection have something that nobody says has been published. */
export async function countUntold(database: Db, collection: string): Promise<number> {
  const books = await database
    .collection<{ _id: string; upto: number }>("ticketbooks")
    .find()
    .toArray();
  const beyond = books.map(({ _id, upto }): Document => {
    const ticket = (number: number) => new ObjectId(_id + number.toString(16).padStart(8, "0"));
    return { ticket: { $gt: ticket(upto), $lte: ticket(0xffff_ffff) } };
  });
  if (beyond.length === 0) return 0;
  return database.collection(collection).countDocuments({ $or: beyond });
}
