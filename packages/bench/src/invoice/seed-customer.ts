import { type Db, ObjectId } from "mongodb";

/** Inserts a customer into the database of the invoice service; resolves to its id. */
export async function seedCustomer(database: Db, businessid: ObjectId): Promise<ObjectId> {
  const _id = new ObjectId();
  const now = new Date();
  await database.collection("customers").insertOne({
    _id,
    businessid,
    name: "Asha",
    email: null,
    phone: null,
    createdat: now,
    updatedat: now,
    version: 1,
    seq: 0,
    published: 0,
    events: [],
    words: [],
  });
  return _id;
}
