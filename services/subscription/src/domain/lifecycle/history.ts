import type { Why } from "./open-invoices.ts";
import type { Status } from "./states.ts";

/** A fact about a subscription, stored with it so that operators can have it explained. */
type HistoryFact =
  | { readonly what: "billed"; readonly from: Date; readonly to: Date; readonly why: Why }
  | { readonly what: "became"; readonly status: Status; readonly why: string }
  | { readonly what: "prompted"; readonly invoice: string; readonly attempt: number }
  | { readonly what: "not-prompted"; readonly invoice: string; readonly why: string }
  | { readonly what: "prompt-failed"; readonly invoice: string; readonly why: string }
  | { readonly what: "expiry-refused"; readonly why: string };

export type HistoryEntry = HistoryFact & {
  /** The date that the fact counts from. */
  readonly asof: Date;
  /** When the service detected and saved it. */
  readonly at: Date;
};

const entriesMax = 60;

export function addHistory(
  history: readonly HistoryEntry[],
  fact: HistoryFact,
  asof: Date,
  at: Date,
): readonly HistoryEntry[] {
  return [...history, { ...fact, asof, at }].slice(-entriesMax);
}
