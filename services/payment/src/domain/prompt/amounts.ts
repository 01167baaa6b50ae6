import { promptAmounts } from "@malipo/contracts";
import type { Cents } from "@malipo/core";

/** What one prompt may ask for, in shillings. */
export interface Amounts {
  readonly min: number;
  readonly max: number;
  /** What is asked for unless the payer says otherwise; null when that is theirs to say. */
  readonly usual: number | null;
  /** Why it is not exactly what is owed. */
  readonly note: "rounded" | "minimum" | "maximum" | null;
}

/** M-Pesa takes whole shillings only, and neither little nor very much at once. */
export function amountsFor(owed: Cents | null, partpayment: boolean): Amounts {
  const { min, max } = promptAmounts;
  if (owed === null) return { min, max, usual: null, note: null };
  const usual = Math.min(Math.max(Math.ceil(owed / 100), min), max);
  return { min: partpayment ? min : usual, max: usual, usual, note: noteOn(owed, usual) };
}

function noteOn(owed: Cents, usual: number): Amounts["note"] {
  const { min, max } = promptAmounts;
  if (owed > max * 100) return "maximum";
  if (owed < min * 100) return "minimum";
  return usual * 100 === owed ? null : "rounded";
}

export function isWithin({ min, max }: Amounts, shillings: number): boolean {
  return shillings >= min && shillings <= max;
}
