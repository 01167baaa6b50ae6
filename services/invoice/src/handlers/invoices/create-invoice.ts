import type { BodyOf, routes } from "@malipo/contracts";
import { err, fault, notFound, ok, parseId } from "@malipo/core";
import { drawLinkCode, newId, type RouteHandler, drawSecretCode } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { copyCustomer, type InvoiceItem } from "../../domain/invoice/invoice.ts";
import { checkAmounts, newInvoice } from "../../domain/invoice/new-invoice.ts";
import { type Discount, noDiscount } from "../../domain/invoice/totals.ts";
import { viewCreated } from "../../domain/invoice/view-invoice.ts";
import type { Product } from "../../domain/product.ts";

type Body = BodyOf<typeof routes.createInvoice>;

/** Reports the first problem in this order, which callers see: shape, customer, products, tax. */
export const createInvoice = (deps: Deps): RouteHandler<typeof routes.createInvoice> => {
  const { customers, taxes, numbering, codes, invoices, publicUrl } = deps;
  return async ({ businessid, body, cause }) => {
    const discount = readDiscount(body);
    const checked = checkAmounts(body.items, discount);
    if (!checked.ok) return checked;
    const [customer, products, tax] = await Promise.all([
      findRecord(customers, businessid, body.customerid),
      findProducts(deps, businessid, body),
      body.taxid === undefined ? null : findRecord(taxes, businessid, body.taxid),
    ]);
    if (!customer) {
      return err(fault("not_found", { text: "Customer not found in this business" }));
    }
    const missing = body.items.find(({ itemid }) => !products.has(itemid));
    if (missing) return err(fault("not_found", { text: `product not found: ${missing.itemid}` }));
    if (body.taxid !== undefined && !tax) return err(notFound("tax"));

    const id = newId();
    const target = { businessid, recordid: id };
    const [invoiceno, [code = "", linkcode = ""]] = await Promise.all([
      numbering.takeNext(businessid),
      codes.create([
        { ...target, draw: drawSecretCode },
        { ...target, draw: () => drawLinkCode("invoice") },
      ]),
    ]);
    const { entity, events } = newInvoice(
      businessid,
      { id, invoiceno, code, linkcode },
      {
        ...body,
        customer: copyCustomer(customer),
        items: buildItems(body, products),
        discount,
        tax: tax && { id: tax.id, title: tax.title, rate: tax.rate },
        issuedfor: null,
      },
      cause.now,
    );
    const invoice = await invoices.insert(entity, events, cause);
    return ok({ data: viewCreated(invoice, publicUrl) });
  };
};

/** A discount without a type is fixed. */
function readDiscount({ discount, discounttype }: Body): Discount {
  return {
    type: discounttype ?? noDiscount.type,
    hundredths: discount ?? noDiscount.hundredths,
  };
}

async function findProducts(
  { products }: Deps,
  businessid: string,
  { items }: Body,
): Promise<ReadonlyMap<string, Product>> {
  const itemids = [...new Set(items.map(({ itemid }) => itemid))];
  const found = await Promise.all(
    itemids.map((itemid) => findRecord(products, businessid, itemid)),
  );
  const byId = new Map<string, Product>();
  for (const [index, itemid] of itemids.entries()) {
    const product = found[index];
    if (product) byId.set(itemid, product);
  }
  return byId;
}

/** A name in a body may be any text. A text that is not an id names nothing. */
async function findRecord<E>(
  records: { find(businessid: string, id: string): Promise<{ readonly entity: E } | null> },
  businessid: string,
  text: string,
): Promise<E | null> {
  const id = parseId(text);
  const found = id && (await records.find(businessid, id));
  return found ? found.entity : null;
}

function buildItems({ items }: Body, products: ReadonlyMap<string, Product>): InvoiceItem[] {
  return items.flatMap(({ itemid, name, quantity, rate }) => {
    const product = products.get(itemid);
    return product ? [{ itemid: product.id, name: name ?? product.title, quantity, rate }] : [];
  });
}
