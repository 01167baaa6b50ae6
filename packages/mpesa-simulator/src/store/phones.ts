import { minuteMs } from "@malipo/core";
import { createRing } from "./bounded-map.ts";

interface Phone {
  requests: number;
  lastPaid: { readonly at: Date; readonly amount: number } | null;
  open: number;
}

const phonesMax = 100_000;

/** What is remembered of a phone between its prompts. */
export interface Phones {
  /** Counts the requests for this phone, from 1. */
  countRequest(phone: string): number;
  opened(phone: string): void;
  closed(phone: string): void;
  hasOpenPrompt(phone: string): boolean;
  paid(phone: string, amount: number, at: Date): void;
  paidJustNow(phone: string, amount: number, at: Date): boolean;
}

export function createPhones(): Phones {
  const kept = createRing<Phone>(phonesMax);
  const of = (number: string): Phone => {
    const phone = kept.get(number) ?? { requests: 0, lastPaid: null, open: 0 };
    // Added again, so that those not heard of for longest go first.
    kept.add(number, phone);
    return phone;
  };
  return {
    countRequest: (number) => (of(number).requests += 1),
    opened: (number) => void (of(number).open += 1),
    closed: (number) => void (of(number).open -= 1),
    hasOpenPrompt: (number) => of(number).open > 0,
    paid: (number, amount, at) => void (of(number).lastPaid = { amount, at }),
    paidJustNow: (number, amount, at) => {
      const { lastPaid } = of(number);
      return lastPaid?.amount === amount && at.getTime() - lastPaid.at.getTime() < 2 * minuteMs;
    },
  };
}
