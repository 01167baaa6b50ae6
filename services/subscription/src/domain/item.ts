import { centsToShillings } from "@malipo/core";
import { type Item, lineAmount } from "./lifecycle/subscription.ts";

export function viewItem(item: Item) {
  return {
    itemid: item.itemid,
    title: item.title,
    quantity: item.quantity,
    rate: centsToShillings(item.rate),
    amount: centsToShillings(lineAmount(item)),
  };
}
