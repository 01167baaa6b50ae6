import { type BasisPoints, type Cents, cents, multiplyCents, sumCents } from "@malipo/core";

export interface Line {
  readonly quantity: number;
  readonly rate: Cents;
}

export interface Discount {
  readonly type: "percentage" | "fixed";
  /** The given number times a hundred: hundredths of a percent, or of a shilling. */
  readonly hundredths: number;
}

export interface Totals {
  readonly subtotal: Cents;
  readonly discount: Cents;
  readonly tax: Cents;
  readonly total: Cents;
}

export const noDiscount: Discount = { type: "fixed", hundredths: 0 };

/** Exact: a rate is in whole cents and a quantity is a whole number. */
export function computeLineTotal({ rate, quantity }: Line): Cents {
  return multiplyCents(rate, quantity);
}

export function computeTotals(
  lines: readonly Line[],
  discount: Discount,
  taxrate: BasisPoints,
): Totals {
  const subtotal = sumCents(lines.map(computeLineTotal));
  const discounted = computeDiscount(subtotal, discount);
  const taxable = cents(subtotal - discounted);
  const tax = computeShare(taxable, taxrate);
  return { subtotal, discount: discounted, tax, total: cents(taxable + tax) };
}

function computeDiscount(subtotal: Cents, { type, hundredths }: Discount): Cents {
  return type === "fixed" ? cents(hundredths) : computeShare(subtotal, hundredths);
}

const hundredPercent = 10_000n;

/** Rounds half a cent up. The product can be larger than a safe integer, so it is a BigInt. */
function computeShare(amount: Cents, hundredths: number): Cents {
  const product = BigInt(amount) * BigInt(hundredths);
  return cents(Number((product + hundredPercent / 2n) / hundredPercent));
}
