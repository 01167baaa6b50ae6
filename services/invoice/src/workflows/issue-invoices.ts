import type { EventData } from "@malipo/contracts";
import { type Cents, err, type Fault, fault, ok, parseShillings, type Result } from "@malipo/core";
import { type Cause, drawLinkCode, type NewRecord, newId, drawSecretCode } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import type { Customer } from "../domain/customer.ts";
import {
  copyCustomer,
  formatIssueKey,
  type Invoice,
  type InvoiceItem,
} from "../domain/invoice/invoice.ts";
import { checkAmounts, newInvoice } from "../domain/invoice/new-invoice.ts";
import { noDiscount } from "../domain/invoice/totals.ts";

/** One bill of a subscription. */
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
 * Issues one invoice per key, and none for a key that has one. Looks the keys up first and takes
 * numbers in blocks; a unique index decides between two workers with the same order. The results are
 * in the order of the orders.
 */
export async function issueInvoices(
  deps: Deps,
  orders: readonly IssueOrder[],
): Promise<Result<null, Fault>[]> {
  const bills = orders.map(({ businessid, billing }) => ({ ...billing.key, businessid }));
  const [issued, checked] = await Promise.all([
    deps.invoices.findIssuedMany(bills),
    Promise.all(orders.map((order) => checkOrder(deps, order))),
  ]);
  // One order per key: a batch may contain the same event twice.
  const missing = new Map<string, CheckedOrder>();
  for (const [index, order] of checked.entries()) {
    if (!order.ok || issued[index]) continue;
    const { businessid, billing } = order.value;
    const key = `${businessid} ${formatIssueKey(billing.key)}`;
    if (!missing.has(key)) missing.set(key, order.value);
  }
  await deps.invoices.insertMany(await createInvoices(deps, [...missing.values()]));
  return checked.map((order) => (order.ok ? ok(null) : order));
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

async function createInvoices(
  deps: Deps,
  orders: readonly CheckedOrder[],
): Promise<NewRecord<Invoice>[]> {
  if (orders.length === 0) return [];
  const withIds = orders.map((order) => ({ ...order, id: newId() }));
  const targets = withIds.map(({ businessid, id }) => ({ businessid, recordid: id }));
  const [numbers, codes] = await Promise.all([
    takeNumbers(deps, withIds),
    deps.codes.create([
      ...targets.map((target) => ({ ...target, draw: drawSecretCode })),
      ...targets.map((target) => ({ ...target, draw: () => drawLinkCode("invoice") })),
    ]),
  ]);
  return withIds.map(({ id, businessid, billing, customer, items, issuedat, cause }, index) => {
    const keys = {
      id,
      invoiceno: numbers.get(id) ?? "",
      code: codes[index] ?? "",
      linkcode: codes[withIds.length + index] ?? "",
    };
    const draft = {
      title: billing.title,
      customer: copyCustomer(customer),
      items,
      discount: noDiscount,
      tax: null,
      invoicedate: issuedat,
      duedate: new Date(billing.duedate),
      issuedfor: { ...billing.key, subscriptionid: billing.key.subscriptionid.toLowerCase() },
    };
    return { ...newInvoice(businessid, keys, draft, cause.now), cause };
  });
}

/** The invoice numbers by invoice id. Each business takes one block. */
async function takeNumbers(
  { numbering }: Deps,
  orders: readonly { readonly id: string; readonly businessid: string }[],
): Promise<ReadonlyMap<string, string>> {
  const numbers = new Map<string, string>();
  const byBusiness = Map.groupBy(orders, ({ businessid }) => businessid);
  await Promise.all(
    [...byBusiness].map(async ([businessid, ofBusiness]) => {
      const block = await numbering.takeBlock(businessid, ofBusiness.length);
      ofBusiness.forEach(({ id }, index) => numbers.set(id, block[index] ?? ""));
    }),
  );
  return numbers;
}
