import { ObjectId, type Collection } from "mongodb";
import {
  businessId,
  createdAt,
  invoiceDocument,
  invoiceNumber,
  positionsBelow,
  type InvoiceDocument,
} from "./invoice-documents.ts";

const pageSize = 20;
const batchSize = 100;
const seedOfPositions = 7;

export type Operation = () => Promise<unknown>;

/** The measured operations, on a collection that holds that many documents. */
export type Operations = {
  readonly pointRead: Operation;
  readonly pageRead: Operation;
  readonly insertOne: Operation;
  readonly findOneAndUpdate: Operation;
  readonly insertMany: Operation;
  /** Deletes the inserted documents, so that every round finds the same number of documents. */
  readonly deleteInserted: Operation;
};

export const insertManySize = batchSize;

export function operationsOn(invoices: Collection<InvoiceDocument>, documents: number): Operations {
  const randomPosition = positionsBelow(documents, seedOfPositions);
  const randomNumber = (): string => invoiceNumber(randomPosition());
  let inserted = 0;
  const newDocument = (): InvoiceDocument => {
    inserted += 1;
    const position = randomPosition();
    return {
      ...invoiceDocument(position),
      _id: new ObjectId(),
      number: `NEW-${inserted}-${position}`,
    };
  };
  return {
    pointRead: async () => assertFound(await invoices.findOne({ number: randomNumber() })),
    pageRead: () => {
      const position = randomPosition();
      const query = { businessid: businessId(position), createdat: { $lte: createdAt(position) } };
      return invoices.find(query).sort({ createdat: -1 }).limit(pageSize).toArray();
    },
    insertOne: () => invoices.insertOne(newDocument()),
    findOneAndUpdate: async () =>
      assertFound(
        await invoices.findOneAndUpdate(
          { number: randomNumber() },
          { $set: { status: "paid" }, $inc: { version: 1 } },
          { returnDocument: "after" },
        ),
      ),
    insertMany: () => invoices.insertMany(Array.from({ length: batchSize }, newDocument)),
    deleteInserted: () => invoices.deleteMany({ number: { $gte: "NEW-", $lt: "NEW." } }),
  };
}

/** Fails on a wrong answer, so that a server does not win by answering wrong. */
function assertFound(document: InvoiceDocument | null): void {
  if (document === null) throw new Error("the server did not find a document it holds");
}
