import type { UsedSystem } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { linesOf, type Order } from "./catalogue-records.ts";
import { copy, created, pageSize, type Paths, quotes, wide } from "./copies.ts";

const paymentsMax = 500;

export async function createInvoices(system: UsedSystem, order: Order): Promise<Paths> {
  const invoice = await createInvoice(system, order, wide);
  const printed = await createInvoice(system, order, quotes);
  await copy(system, ["invoice", "invoices"], invoice.id, {
    change: { duefailed: { tries: 9, reason: wide(5_000), at: new Date(), parkedat: new Date() } },
    fieldsOf: (index) => ({ invoiceno: `INV-9${index}`, code: `copy-${index}`, payments: [] }),
  });
  return {
    listInvoices: `/business/invoice/list?limit=${pageSize}`,
    getInvoice: `/business/invoice/details/${invoice.id}`,
    showInvoicePage: `/i/${printed.code}`,
    showInvoicePdf: `/i/${invoice.code}.pdf`,
    showPayPage: `/p/${printed.link}`,
    drawQrPng: `/qr/${invoice.link}.png`,
    drawQrSvg: `/qr/${invoice.link}.svg`,
    listParkedInvoices: "/operator/parked/invoice",
  };
}

async function createInvoice(
  { api, database }: UsedSystem,
  order: Order,
  text: (length: number) => string,
) {
  const { customerid, taxid } = order;
  const { _id: id } = await created(
    api("POST", "/business/invoice/create", {
      customerid,
      taxid,
      items: linesOf(order, { name: text(200) }),
      title: text(200),
      description: text(2_000),
      remark: text(2_000),
      duedate: "2099-01-01",
    }),
  );
  const payments = Array.from({ length: paymentsMax }, () => ({
    key: String(new ObjectId()),
    amount: 100_000,
    applied: 100_000,
    at: new Date(),
    momoreceiptnumber: "UKL7A1B2C3",
  }));
  const filter = { _id: new ObjectId(String(id)) };
  await database("invoice").collection("invoices").updateOne(filter, { $set: { payments } });
  const shown = await created(api("GET", `/business/invoice/details/${String(id)}`));
  const [link] = shown["paymentlinks"] as readonly { readonly shorturl: string }[];
  const code = String(shown["printurl"]).split("/").at(-1);
  return { id: String(id), code, link: link?.shorturl };
}
