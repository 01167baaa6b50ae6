import type { ObjectId } from "mongodb";
import { bookIdOf, numberOf, ticketOf } from "./outbox-position.ts";

/** The tickets that a process draws for what it writes, and what became of them. */
export interface TicketBook {
  readonly id: string;
  draw(): ObjectId;
  has(ticket: ObjectId): boolean;
  /** What was written under it has been published, or nothing ever was. */
  done(ticket: ObjectId): void;
  isDone(ticket: ObjectId): boolean;
  /** It was published in vain; the sweep tries again. */
  leave(ticket: ObjectId): void;
  readonly left: readonly ObjectId[];
  readonly leftCount: number;
  readonly isAllDone: boolean;
  /** Nearly as many have been drawn as have numbers. */
  readonly isFull: boolean;
  /** All tickets up to this number are done. */
  readonly upto: number;
}

const drawnMax = 4_000_000_000;

export function createTicketBook(id: string): TicketBook {
  let last = 0;
  // In the order in which they were drawn.
  const open = new Set<number>();
  const left = new Set<number>();

  return {
    id,
    draw: () => {
      last += 1;
      open.add(last);
      return ticketOf(id, last);
    },
    has: (ticket) => bookIdOf(ticket) === id,
    done: (ticket) => {
      const number = numberOf(ticket);
      open.delete(number);
      left.delete(number);
    },
    isDone: (ticket) => !open.has(numberOf(ticket)),
    leave: (ticket) => {
      const number = numberOf(ticket);
      if (open.has(number)) left.add(number);
    },
    get left() {
      return [...left].map((number) => ticketOf(id, number));
    },
    get leftCount() {
      return left.size;
    },
    get isAllDone() {
      return open.size === 0;
    },
    get isFull() {
      return last >= drawnMax;
    },
    get upto() {
      const [oldest] = open;
      return oldest === undefined ? last : oldest - 1;
    },
  };
}
