import { ObjectId } from "mongodb";

/** A document of about 400 bytes, like those that the services store. */
export type InvoiceDocument = {
  readonly _id: ObjectId;
  readonly number: string;
  readonly businessid: ObjectId;
  readonly status: string;
  readonly title: string;
  readonly balance: number;
  readonly version: number;
  readonly createdat: Date;
  readonly items: readonly { itemid: ObjectId; title: string; quantity: number; rate: number }[];
};

const documentsPerBusiness = 1_000;
const firstCreatedAtMs = Date.UTC(2026, 0, 1);

/** The position decides every field of the document, so that two stores hold the same documents. */
export function invoiceDocument(position: number): InvoiceDocument {
  return {
    _id: objectId("01", position),
    number: invoiceNumber(position),
    businessid: businessId(position),
    status: "unpaid",
    title: "Monthly subscription, fibre 20 Mbps",
    balance: 150_000 + (position % 997),
    version: 1,
    createdat: createdAt(position),
    items: [
      { itemid: objectId("03", position % 50), title: "Fibre 20 Mbps", quantity: 1, rate: 140_000 },
      { itemid: objectId("03", 51), title: "Static IP address", quantity: 1, rate: 10_000 },
    ],
  };
}

export const invoiceNumber = (position: number): string =>
  `INV-${position.toString().padStart(10, "0")}`;

export const businessId = (position: number): ObjectId =>
  objectId("02", Math.floor(position / documentsPerBusiness));

export const createdAt = (position: number): Date => new Date(firstCreatedAtMs + position * 1_000);

function objectId(kind: string, position: number): ObjectId {
  return ObjectId.createFromHexString(kind + position.toString(16).padStart(22, "0"));
}

/** Random positions below a bound, the same for the same seed (mulberry32). */
export function positionsBelow(bound: number, seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}
