import { minuteMs } from "@malipo/core";
import { createBoundedMap } from "./bounded-map.ts";

interface Phone {
  requestCount: number;
  lastPayment: { readonly at: Date; readonly amount: number } | null;
  openPromptCount: number;
}

const phonesMax = 100_000;

/** The state of each phone that lasts beyond a prompt. */
export interface Phones {
  /** Adds one to the requests for the phone and returns their number. */
  countRequest(number: string): number;
  addOpenPrompt(number: string): void;
  removeOpenPrompt(number: string): void;
  hasOpenPrompt(number: string): boolean;
  recordPayment(number: string, amount: number, at: Date): void;
  /** True when the last payment had the same amount, less than two minutes before `at`. */
  hasJustPaid(number: string, amount: number, at: Date): boolean;
}

export function createPhones(): Phones {
  const phones = createBoundedMap<Phone>(phonesMax);
  const findOrCreate = (number: string): Phone => {
    const phone = phones.get(number) ?? { requestCount: 0, lastPayment: null, openPromptCount: 0 };
    // Every use makes the phone the newest, so the map drops the phone that was unused for longest.
    phones.set(number, phone);
    return phone;
  };
  return {
    countRequest: (number) => (findOrCreate(number).requestCount += 1),
    addOpenPrompt: (number) => void (findOrCreate(number).openPromptCount += 1),
    removeOpenPrompt: (number) => void (findOrCreate(number).openPromptCount -= 1),
    hasOpenPrompt: (number) => findOrCreate(number).openPromptCount > 0,
    recordPayment: (number, amount, at) => void (findOrCreate(number).lastPayment = { amount, at }),
    hasJustPaid: (number, amount, at) => {
      const { lastPayment } = findOrCreate(number);
      if (lastPayment?.amount !== amount) return false;
      return at.getTime() - lastPayment.at.getTime() < 2 * minuteMs;
    },
  };
}
