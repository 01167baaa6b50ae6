import type { NewEvent } from "@malipo/contracts";
import type { EventFields, Telling } from "./event-document.ts";
import { isStoreAway } from "../mongo/connection.ts";
import type { TicketBook } from "./publisher.ts";
import type { Tickets } from "./publishers.ts";

/** Whether what a write tells was written is known when the write has come to an end. */
export interface BegunTelling extends Telling {
  readonly book: TicketBook;
}

type Told = Pick<EventFields, "ticket">;

/** One for each, in its place; undefined where there is nothing to tell. */
export async function beginTellings(
  tickets: Tickets,
  writes: readonly { readonly current: Told; readonly news: readonly NewEvent[] }[],
): Promise<readonly (BegunTelling | undefined)[]> {
  if (writes.every(({ news }) => news.length === 0)) return writes.map(() => undefined);
  const areTold = await Promise.all(
    writes.map(async ({ current, news }) => news.length > 0 && tickets.isTold(current.ticket)),
  );
  const book = await tickets.present.open();
  // Nothing may fail from here to the write: what is drawn must come to something.
  return writes.map(({ news }, index) =>
    news.length === 0 ? undefined : { ticket: book.draw(), book, isTold: areTold[index] ?? false },
  );
}

export async function beginTelling(
  tickets: Tickets,
  current: Told,
  news: readonly NewEvent[],
): Promise<BegunTelling | undefined> {
  const [telling] = await beginTellings(tickets, [{ current, news }]);
  return telling;
}

/**
 * What comes of making and sending the write. When it fails, the sweep sees what of it is there all
 * the same; and when it may yet come about, at any time, its book is put aside.
 */
export async function written<Outcome>(
  tickets: Tickets,
  tellings: readonly (BegunTelling | undefined)[],
  write: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await write();
  } catch (error) {
    for (const telling of tellings) {
      if (!telling) continue;
      if (isStoreAway(error)) tickets.present.putAside(telling.book);
      else tickets.leave(telling.ticket);
    }
    throw error;
  }
}
