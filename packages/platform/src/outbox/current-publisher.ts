import { type Clock, hourMs, minuteMs, secondMs } from "@malipo/core";
import type { Collection, UpdateOptions } from "mongodb";
import type { Log } from "../logging/index.ts";
import { newBookId } from "./outbox-position.ts";
import { createTicketBook, type TicketBook } from "./publisher.ts";

/**
 * How far a book has come is written down so often: what others change sooner, and what a crash
 * leaves, is published twice.
 */
const keepEveryMs = 50;
const signOfLifeMs = 10 * minuteMs;
/** While something is being written or published, which others are not to publish meanwhile. */
const atWorkMs = secondMs;
/** Nothing takes longer; whoever says so for longer is not believed. */
const workMaxMs = minuteMs;
/** A book without a sign of life for so long is forgotten, once nothing of it is left. */
export const abandonedAfterMs = hourMs;
/** Whoever slept for longer begins another book. */
const trustedMs = abandonedAfterMs / 2;

export interface BookDocument {
  readonly _id: string;
  /** What was written under the tickets up to this one has been published. */
  readonly upto: number;
  /** The last sign of life. */
  readonly at: Date;
}

/** The book that a process draws from, which it begins when it needs one. */
export interface PresentBook {
  /** Undefined as long as none was needed. */
  readonly now: TicketBook | undefined;
  open(): Promise<TicketBook>;
  /** Draws from another from now on. */
  putAside(book: TicketBook): void;
  close(): Promise<void>;
}

export function keepPresentBook(
  books: Collection<BookDocument>,
  clock: Clock,
  log: Log,
): PresentBook {
  let opening: Promise<TicketBook> | undefined;
  let present: TicketBook | undefined;
  let kept = { upto: 0, at: 0, isUnderWay: false };
  const isAtWork = watchWork();
  const timer = setInterval(() => void keepPresent(), keepEveryMs).unref();

  async function begin(): Promise<TicketBook> {
    const book = createTicketBook(newBookId(clock()));
    kept = { upto: 0, at: performance.now(), isUnderWay: false };
    await books.insertOne({ _id: book.id, upto: 0, at: clock() });
    present = book;
    return book;
  }

  function drop() {
    present = undefined;
    opening = undefined;
  }

  function putAside(book: TicketBook) {
    if (present?.id !== book.id) return;
    log.info({ book: book.id }, "begins another ticket book");
    drop();
    // In vain, it only is a little less far than it came. Forgotten, it is put back: what was being
    // written while its process slept is found by nothing else.
    void keep(books, book, clock(), { upsert: true }).catch(() => {});
  }

  async function keepPresent(): Promise<void> {
    if (!present || kept.isUnderWay) return;
    const [book, upto, at] = [present, present.upto, performance.now()];
    const signMs = isAtWork(book, at) ? atWorkMs : signOfLifeMs;
    if (upto === kept.upto && at - kept.at < signMs) return;
    kept.isUnderWay = true;
    try {
      const isKnown = await keep(books, book, clock());
      if (!isKnown) putAside(book);
      else if (present === book) kept = { ...kept, upto, at };
    } catch {
      // The next time will do: what cannot be written down is published twice after a crash.
    } finally {
      kept.isUnderWay = false;
    }
  }

  return {
    get now() {
      return present;
    },
    open: () => {
      if (present && (present.isFull || performance.now() - kept.at > trustedMs)) putAside(present);
      return (opening ??= begin().catch((error: unknown) => {
        drop();
        throw error;
      }));
    },
    putAside,
    close: async () => {
      clearInterval(timer);
      const book = present;
      drop();
      if (book) await end(books, book, clock());
    },
  };
}

/** A book that is gone had nothing left. */
async function end(books: Collection<BookDocument>, book: TicketBook, at: Date): Promise<void> {
  if (book.isAllDone) await books.deleteOne({ _id: book.id });
  else await keep(books, book, at);
}

/** Whether anything of a book is under way. What is published in vain, others may try. */
function watchWork() {
  let [upto, since] = [0, 0];
  return (book: TicketBook, now: number): boolean => {
    if (book.isAllDone || book.upto !== upto) [upto, since] = [book.upto, now];
    return !book.isAllDone && book.leftCount === 0 && now - since < workMaxMs;
  };
}

/** False when the book has been forgotten. */
async function keep(
  books: Collection<BookDocument>,
  { id, upto }: TicketBook,
  at: Date,
  options: UpdateOptions = {},
): Promise<boolean> {
  // One that was given up may arrive after the next one.
  const further = { $max: { upto }, $set: { at } };
  const { matchedCount } = await books.updateOne({ _id: id }, further, options);
  return matchedCount === 1;
}
