import type { Deps } from "../../deps.ts";
import type { Invoice } from "./invoice.ts";
import { isOwed, oldestFirst } from "../../store/invoices.ts";

export const owedMax = 100;

type Whose =
  | { readonly "customer.id": string }
  | { readonly "issuedfor.subscriptionid": { readonly $eq: string; readonly $gt: "" } };

/** What is asked for now, of a customer or for a subscription: the oldest first, and one more than is shown. */
export function owedNow(
  { invoices }: Pick<Deps, "invoices">,
  businessid: string,
  whose: Whose,
): Promise<Invoice[]> {
  const options = { sort: oldestFirst, limit: owedMax + 1 };
  return invoices.some(businessid, { ...whose, ...isOwed }, options);
}
