import { type Parcel, type Part, wholeIdOf } from "./event-batch.ts";

/** Messages that another worker finished meanwhile are forgotten in time. */
const rememberedMax = 10_000;

/** What is known of a message beyond one delivery of it. */
interface Refused {
  readonly messageid: string;
  /** How often each thing was refused; infinitely when it is set aside. */
  readonly times: Map<number, number>;
  /** Whether all of it was tried: then what was never refused is done. */
  isTried: boolean;
}

/** What was refused of messages that come again. */
export interface Refusals {
  timesOf(part: Part<unknown>): number;
  note(part: Part<unknown>, times: number): void;
  noteTried(parcel: Parcel): void;
  /** Whether it was done, or set aside, when its message came before. */
  isOver(part: Part<unknown>): boolean;
  forget(parcel: Parcel): void;
}

export function rememberRefusals(): Refusals {
  const refusals = new Map<number, Refused>();

  function refusedOf({ message }: Parcel): Refused | undefined {
    const refused = refusals.get(message.seq);
    // Of another stream, whose numbers were the same.
    return refused?.messageid === wholeIdOf(message) ? refused : undefined;
  }

  return {
    timesOf: ({ parcel, index }) => refusedOf(parcel)?.times.get(index) ?? 0,
    note: ({ parcel, index }, times) => {
      const { message } = parcel;
      const messageid = wholeIdOf(message);
      const refused = refusedOf(parcel) ?? { messageid, times: new Map(), isTried: false };
      refused.times.set(index, times);
      const [oldest] = refusals.keys();
      if (refusals.size >= rememberedMax && oldest !== undefined) refusals.delete(oldest);
      refusals.set(message.seq, refused);
    },
    noteTried: (parcel) => {
      const refused = refusedOf(parcel);
      if (refused) refused.isTried = true;
    },
    isOver: ({ parcel, index }) => {
      const refused = refusedOf(parcel);
      const times = refused?.times.get(index);
      return times === Infinity || (times === undefined && refused?.isTried === true);
    },
    forget: ({ message }) => refusals.delete(message.seq),
  };
}
