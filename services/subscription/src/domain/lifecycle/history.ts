import type { Why } from "./open-invoices.ts";
import type { Status } from "./states.ts";

/** What happened to a subscription, kept with it so that it can be explained. */
export type Happening =
  | { readonly what: "billed"; readonly from: Date; readonly to: Date; readonly why: Why }
  | { readonly what: "became"; readonly status: Status; readonly why: string }
  | { readonly what: "prompted"; readonly invoice: string; readonly attempt: number }
  | { readonly what: "not-prompted"; readonly invoice: string; readonly why: string }
  | { readonly what: "prompt-failed"; readonly invoice: string; readonly why: string }
  | { readonly what: "expiry-refused"; readonly why: string };

export type HistoryEntry = Happening & {
  /** The date that it counts from. */
  readonly asof: Date;
  /** When it was found out and saved. */
  readonly at: Date;
};

const entriesMax = 60;

export function remember(
  history: readonly HistoryEntry[],
  happening: Happening,
  asof: Date,
  at: Date,
): readonly HistoryEntry[] {
  return [...history, { ...happening, asof, at }].slice(-entriesMax);
}
