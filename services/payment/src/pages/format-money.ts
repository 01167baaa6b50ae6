import { type Cents, centsToShillings } from "@malipo/core";

const wholes = new Intl.NumberFormat("en-KE", { maximumFractionDigits: 0 });
const withCents = new Intl.NumberFormat("en-KE", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** Shows cents only when there are some. */
export function formatMoney(amount: Cents): string {
  return `KES ${(amount % 100 === 0 ? wholes : withCents).format(centsToShillings(amount))}`;
}
