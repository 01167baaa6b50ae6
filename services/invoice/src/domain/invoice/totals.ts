import { type BasisPoints, type Cents, cents, multiplyCents, sumCents } from "@malipo/core";

export interface Line {
  readonly quantity: number;
  readonly rate: Cents;
}

/** The number as it was given, in hundredths: of a percent, or of a shilling. */
export interface Discount {
  readonly type: "percentage" | "fixed";
  readonly hundredths: number;
}

export interface Totals {
  readonly subtotal: Cents;
  readonly discount: Cents;
  readonly tax: Cents;
  readonly total: Cents;
}

export const noDiscount: Discount = { type: "fixed", hundredths: 0 };

/** A rate has cents and a quantity is whole, so a line is exact. */
export function lineTotal({ rate, quantity }: Line): Cents {
  return multiplyCents(rate, quantity);
}

export function totalsOf(
  lines: readonly Line[],
  discounted: Discount,
  taxrate: BasisPoints,
): Totals {
  const subtotal = sumCents(lines.map(lineTotal));
  const discount = discountOf(subtotal, discounted);
  const taxed = cents(subtotal - discount);
  const tax = partOf(taxed, taxrate);
  return { subtotal, discount, tax, total: cents(taxed + tax) };
}

function discountOf(subtotal: Cents, { type, hundredths }: Discount): Cents {
  return type === "fixed" ? cents(hundredths) : partOf(subtotal, hundredths);
}

const wholeHundredths = 10_000n;

/** Half a cent rounds up. In between the product is larger than a number holds exactly. */
function partOf(amount: Cents, hundredths: number): Cents {
  const product = BigInt(amount) * BigInt(hundredths);
  return cents(Number((product + wholeHundredths / 2n) / wholeHundredths));
}
