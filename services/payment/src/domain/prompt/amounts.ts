import { promptAmountRange } from "@malipo/contracts";
import { type Cents, cents, centsToShillings, shillingsToCents } from "@malipo/core";

const promptMin = shillingsToCents(promptAmountRange.min);
const promptMax = shillingsToCents(promptAmountRange.max);

/** The amounts that the pay page accepts, in whole shillings. */
export interface AmountRange {
  readonly min: number;
  readonly max: number;
  /** The amount that the page fills in; null when the payer chooses any amount. */
  readonly suggested: number | null;
  /** Why `suggested` is not exactly what is owed. */
  readonly note: "rounded" | "minimum" | "maximum" | null;
}

/** M-Pesa takes whole shillings only, and one prompt has a smallest and a largest amount. */
export function amountRangeFor(owed: Cents | null, partpayment: boolean): AmountRange {
  const { min, max } = promptAmountRange;
  if (owed === null) return { min, max, suggested: null, note: null };
  const suggested = Math.min(Math.max(Math.ceil(centsToShillings(owed)), min), max);
  return {
    min: partpayment ? min : suggested,
    max: suggested,
    suggested,
    note: noteOn(owed, suggested),
  };
}

function noteOn(owed: Cents, suggested: number): AmountRange["note"] {
  if (owed > promptMax) return "maximum";
  if (owed < promptMin) return "minimum";
  return shillingsToCents(suggested) === owed ? null : "rounded";
}

export function isWithin({ min, max }: AmountRange, shillings: number): boolean {
  return shillings >= min && shillings <= max;
}

/**
 * The part of a debt that one prompt asks for. The rest of a larger debt needs another prompt; a surplus becomes
 * credit.
 */
export function promptAmountFor(owed: Cents): Cents {
  return cents(Math.min(promptMax, Math.max(promptMin, roundUpToShilling(owed))));
}

export function roundUpToShilling(owed: Cents): Cents {
  return shillingsToCents(Math.ceil(centsToShillings(owed)));
}
