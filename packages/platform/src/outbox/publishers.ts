import type { Clock } from "@malipo/core";
import type { Db, ObjectId } from "mongodb";
import type { Log } from "../logging/index.ts";
import { type BookDocument, keepPresentBook, type PresentBook } from "./current-publisher.ts";
import { bookIdOf, numberOf } from "./outbox-position.ts";

/** What waits beyond that is left to the store, where everybody finds it. */
const leftMax = 10_000;
const rememberedMax = 1_000;

/**
 * What is written with something to publish has a ticket of its process, and the process writes down
 * now and then up to which of its tickets everything has been published: one write for thousands of
 * records, each of which would otherwise be written once more. What lies beyond may have been left
 * by a crash. A book that is not there any more had nothing left.
 */
export interface Tickets {
  readonly present: PresentBook;
  /** Whether all that was written under it has been published. Without a ticket nothing waits. */
  isTold(ticket: ObjectId | undefined): Promise<boolean>;
  /** False when it is not of the present book: then only a mark on the record can say so. */
  done(ticket: ObjectId): boolean;
  /** The sweep sees whether it was written, and publishes it. */
  leave(ticket: ObjectId): void;
  /** Of the present book. */
  readonly left: readonly ObjectId[];
  /** All but the present one. */
  others(): Promise<BookDocument[]>;
  forget(book: BookDocument): Promise<void>;
}

export function openTickets(db: Db, clock: Clock, log: Log): Tickets {
  // What a book says stays true whatever becomes of the store; who does not find it takes all for told.
  const books = db.collection<BookDocument>("ticketbooks", { readConcern: { level: "local" } });
  const present = keepPresentBook(books, clock, log);
  const toldElsewhere = new Map<string, number>();

  async function isToldElsewhere(ticket: ObjectId): Promise<boolean> {
    const [id, number] = [bookIdOf(ticket), numberOf(ticket)];
    if (number <= (toldElsewhere.get(id) ?? 0)) return true;
    const found = await books.findOne({ _id: id });
    const upto = found ? found.upto : Infinity;
    if (toldElsewhere.size >= rememberedMax) toldElsewhere.clear();
    toldElsewhere.set(id, upto);
    return number <= upto;
  }

  return {
    present,
    isTold: async (ticket) => {
      if (ticket === undefined) return true;
      return present.now?.has(ticket) ? present.now.isDone(ticket) : isToldElsewhere(ticket);
    },
    done: (ticket) => {
      if (!present.now?.has(ticket)) return false;
      present.now.done(ticket);
      return true;
    },
    leave: (ticket) => {
      const book = present.now;
      if (!book?.has(ticket)) return;
      book.leave(ticket);
      if (book.leftCount > leftMax) present.putAside(book);
    },
    get left() {
      return present.now?.left ?? [];
    },
    others: () => books.find(present.now ? { _id: { $ne: present.now.id } } : {}).toArray(),
    forget: async ({ _id, at }) => void (await books.deleteOne({ _id, at })),
  };
}
