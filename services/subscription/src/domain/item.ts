import { type Cents, centsToShillings, multiplyCents, sumCents } from "@malipo/core";

/** A product that a plan or a subscription bills, with the title and rate agreed for it. */
export interface Item {
  readonly itemid: string;
  readonly title: string;
  readonly quantity: number;
  readonly rate: Cents;
}

function amountOf({ rate, quantity }: Item): Cents {
  return multiplyCents(rate, quantity);
}

export function totalOf(items: readonly Item[]): Cents {
  return sumCents(items.map(amountOf));
}

export function viewItem(item: Item) {
  return {
    itemid: item.itemid,
    title: item.title,
    quantity: item.quantity,
    rate: centsToShillings(item.rate),
    amount: centsToShillings(amountOf(item)),
  };
}
