import type { EventData } from "@malipo/contracts";
import { type Cents, err, type Fault, fault, ok, parseShillings, type Result } from "@malipo/core";
import { type Cause, linkCodeOf, type Made, newId, secretCode } from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { Customer } from "../domain/customer.ts";
import type { Deps } from "../deps.ts";
import {
  asOnInvoice,
  type Invoice,
  type InvoiceItem,
  textOfKey,
} from "../domain/invoice/invoice.ts";
import { checkAmounts, newInvoice } from "../domain/invoice/new-invoice.ts";
import { noDiscount } from "../domain/invoice/totals.ts";

/** What a subscription asks an invoice for. */
export interface IssueOrder {
  readonly businessid: string;
  readonly billing: EventData<"subscription.billed">;
  readonly issuedat: Date;
  readonly cause: Cause;
}

interface CheckedOrder extends IssueOrder {
  readonly customer: Customer;
  readonly items: readonly InvoiceItem[];
}

/**
 * Issues what has not been issued: the keys are looked up first, numbers are taken in blocks, and a
 * unique index decides between two who do the same. Answers each order in its place.
 */
export async function issueInvoices(
  deps: Deps,
  orders: readonly IssueOrder[],
): Promise<Result<null, Fault>[]> {
  const [known, checked] = await Promise.all([
    knownKeys(deps, orders),
    Promise.all(orders.map((order) => checkOrder(deps, order))),
  ]);
  const missing = new Map<string, CheckedOrder>();
  for (const one of checked) {
    if (!one.ok) continue;
    const key = keyOf(one.value);
    if (!known.has(key) && !missing.has(key)) missing.set(key, one.value);
  }
  const made = await makeInvoices(deps, [...missing.values()]);
  await deps.invoices.insertMany(made);
  return checked.map((one) => (one.ok ? ok(null) : one));
}

async function knownKeys(
  { invoices }: Deps,
  orders: readonly IssueOrder[],
): Promise<ReadonlySet<string>> {
  const businesses = [...new Set(orders.map(({ businessid }) => businessid))];
  const found = await invoices.collection
    .find({
      businessid: { $in: businesses.map((id) => new ObjectId(id)) },
      issuekey: { $in: orders.map(({ billing }) => textOfKey(billing.key)), $gt: "" },
    })
    .project<{ businessid: ObjectId; issuekey: string }>({ businessid: 1, issuekey: 1 })
    .toArray();
  return new Set(found.map(({ businessid, issuekey }) => `${String(businessid)} ${issuekey}`));
}

function keyOf({ businessid, billing }: IssueOrder): string {
  return `${businessid} ${textOfKey(billing.key)}`;
}

async function checkOrder(
  { customers }: Deps,
  order: IssueOrder,
): Promise<Result<CheckedOrder, Fault>> {
  const { businessid, billing } = order;
  const customer = await customers.find(businessid, billing.customerid);
  if (!customer) return err(fault("not_found", { text: "Customer not found" }));
  const items: InvoiceItem[] = [];
  for (const { itemid, title, quantity, rate } of billing.items) {
    const amount = parseShillings(rate);
    if (!amount.ok) return err(fault("invalid_request", { text: `rate is ${amount.error}` }));
    items.push({ itemid, name: title, quantity, rate: amount.value satisfies Cents });
  }
  const amounts = checkAmounts(items, noDiscount);
  return amounts.ok ? ok({ ...order, customer: customer.entity, items }) : amounts;
}

async function makeInvoices(deps: Deps, orders: readonly CheckedOrder[]): Promise<Made<Invoice>[]> {
  if (orders.length === 0) return [];
  const marked = orders.map((order) => ({ ...order, id: newId() }));
  const targets = marked.map(({ businessid, id }) => ({ businessid, recordid: id }));
  const [numbers, codes] = await Promise.all([
    takeNumbers(deps, marked),
    deps.codes.keep([
      ...targets.map((target) => ({ ...target, draw: secretCode })),
      ...targets.map((target) => ({ ...target, draw: () => linkCodeOf("invoice") })),
    ]),
  ]);
  return marked.map(({ id, businessid, billing, customer, items, issuedat, cause }, index) => {
    const marks = {
      id,
      invoiceno: numbers.get(id) ?? "",
      code: codes[index] ?? "",
      linkcode: codes[marked.length + index] ?? "",
    };
    const draft = {
      title: billing.title,
      customer: asOnInvoice(customer),
      items,
      discount: noDiscount,
      tax: null,
      invoicedate: issuedat,
      duedate: new Date(billing.duedate),
      issuedfor: { ...billing.key, subscriptionid: billing.key.subscriptionid.toLowerCase() },
    };
    return { ...newInvoice(businessid, marks, draft, cause.now), cause };
  });
}

/** The number of each id; a block for each business. */
async function takeNumbers(
  { numbering }: Deps,
  marked: readonly { readonly id: string; readonly businessid: string }[],
): Promise<ReadonlyMap<string, string>> {
  const numbers = new Map<string, string>();
  const ofBusinesses = Map.groupBy(marked, ({ businessid }) => businessid);
  await Promise.all(
    [...ofBusinesses].map(async ([businessid, of]) => {
      const block = await numbering.block(businessid, of.length);
      of.forEach(({ id }, index) => numbers.set(id, block[index] ?? ""));
    }),
  );
  return numbers;
}
