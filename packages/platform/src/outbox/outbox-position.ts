import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";

const bookIdDigits = 16;
const numberMax = 0xffff_ffff;

/*
 * A ticket is an id of which the first eight bytes are its book's and the last four its number, so
 * that the tickets of a book stand together in an index, in the order in which they were drawn.
 */

/** Of no other book, and in the order of their beginning. */
export function newBookId(now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000) % numberMax;
  return seconds.toString(16).padStart(8, "0") + randomBytes(4).toString("hex");
}

export function ticketOf(bookId: string, number: number): ObjectId {
  return new ObjectId(bookId + number.toString(16).padStart(8, "0"));
}

export function bookIdOf(ticket: ObjectId): string {
  return ticket.toHexString().slice(0, bookIdDigits);
}

export function numberOf(ticket: ObjectId): number {
  return Number.parseInt(ticket.toHexString().slice(bookIdDigits), 16);
}

/** The tickets of a book from one on. */
export function ticketsAfter(bookId: string, number: number) {
  return { $gt: ticketOf(bookId, number), $lte: ticketOf(bookId, numberMax) };
}
