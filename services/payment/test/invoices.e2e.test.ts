import { dataOf, eventually, idIn, startSimulator, useSystem } from "@malipo/testing";
import { describe, expect, it } from "vitest";

const simulator = await startSimulator();
const system = useSystem(["invoice", "payment"], { env: { MPESA_BASE_URL: simulator.url } });
const { api } = system;
let lastPhone = 254_722_000_000;

async function makeInvoice(rate: number) {
  const customer = idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
  const product = idIn(await api("POST", "/business/product/create", { title: "Chai", price: 1 }));
  const created = await api("POST", "/business/invoice/create", {
    customerid: customer,
    items: [{ itemid: product, quantity: 1, rate }],
    duedate: "2099-12-31",
  });
  expect(created.status).toBe(201);
  return { id: idIn(created), customer, link: dataOf(created)["paymentlink"] as { _id: string } };
}

const nextPhone = () => String((lastPhone += 1));
const pay = async (amount: number, more: object, headers: Record<string, string> = {}) =>
  api(
    "POST",
    "/business/payments/mobile/request",
    { amount, phone: nextPhone(), channel: "momo", ...more },
    headers,
  );

const invoiceIs = async (id: string, fields: object) =>
  eventually(async () => {
    const found = dataOf(await api("GET", `/business/invoice/details/${id}`));
    expect(found).toMatchObject(fields);
  }, 10_000);

async function amountOf(id: string) {
  return dataOf(await api("GET", `/business/payment-link/details/${id}`))["amount"];
}

describe("paying an invoice", () => {
  it("accepts parts, and refuses an amount that another prompt has reserved", async () => {
    const { id, customer } = await makeInvoice(1_000);
    simulator.change({ timing: { outcomeMs: 1_500 } });
    const first = await pay(600, { invoiceid: id });
    expect(first.status).toBe(200);
    const tooMuch = await pay(500, { invoiceid: id });
    expect(tooMuch).toMatchObject({ status: 409, body: { code: "conflict" } });
    simulator.change({ timing: { outcomeMs: 20 } });
    expect((await pay(400, { invoiceid: id })).status).toBe(200);
    await invoiceIs(id, { status: "paid", balance: 0 });
    const { transactionid } = dataOf(first);
    const done = dataOf(await api("GET", `/business/transaction/details/${String(transactionid)}`));
    expect(done).toMatchObject({ invoiceid: id, customerid: customer, paymentlinkid: id });
    expect(await pay(100, { invoiceid: id })).toMatchObject({
      status: 409,
      body: { error: "Invoice is paid" },
    });
    const receipts = await eventually(async () => {
      const { body } = await api("GET", `/business/receipt/list?invoiceid=${id}`);
      expect(body["data"]).toHaveLength(2);
      return body["data"] as { amount: number }[];
    });
    expect(receipts.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual([400, 600]);
  });

  it("checks the invoice again when the same key sends an unsent request", async () => {
    const { id } = await makeInvoice(1_000);
    const phones = [nextPhone(), nextPhone(), nextPhone()];
    const request = async (index: number) =>
      pay(600, { invoiceid: id, phone: phones[index] }, { "idempotency-key": `${id}-${index}` });
    const spike = Object.fromEntries(phones.map((phone) => [phone, "254700100102"]));
    simulator.change({ phones: spike, timing: { outcomeMs: 60_000 } });
    for (const index of phones.keys()) expect((await request(index)).status).toBe(502);
    simulator.change({ phones: {} });
    expect((await request(0)).status).toBe(200);
    // Its amount is reserved against new requests and against resumed ones.
    const tooMuch = { status: 409, body: { error: /^Only 400 is left/ } };
    expect(await pay(600, { invoiceid: id })).toMatchObject(tooMuch);
    expect(await request(1)).toMatchObject(tooMuch);
    simulator.change({ timing: { outcomeMs: 20 } });
    const cancelled = { status: "cancelled" };
    expect((await api("PATCH", `/business/invoice/update/${id}`, cancelled)).status).toBe(200);
    expect(await request(2)).toMatchObject({
      status: 409,
      body: { error: "Invoice is cancelled" },
    });
    const sent = simulator.prompts().filter(({ phone }) => phones.includes(phone));
    expect(sent.map(({ phone }) => phone)).toEqual([phones[0]]);
  });

  it("releases the amount of a failed prompt", async () => {
    const { id } = await makeInvoice(1_000);
    const phone = "254700000001";
    const failed = await pay(1_000, { invoiceid: id, phone });
    await eventually(async () => {
      const at = `/business/transaction/details/${String(dataOf(failed)["transactionid"])}`;
      expect(dataOf(await api("GET", at))["status"]).toBe("failed");
    });
    await eventually(async () => expect((await pay(1_000, { invoiceid: id })).status).toBe(200));
    await invoiceIs(id, { status: "paid" });
  });

  it("shows on its link what is owed now, at once after the invoice was created", async () => {
    const { id, link } = await makeInvoice(999.5);
    const details = `/business/payment-link/details/${link._id}`;
    expect(dataOf(await api("GET", details))).toMatchObject({
      amount: 1_000,
      status: "active",
      invoiceid: id,
    });
    expect((await pay(400, { paymentlinkid: link._id })).status).toBe(200);
    await invoiceIs(id, { status: "partially_paid", balance: 599.5 });
    expect(dataOf(await api("GET", details))).toMatchObject({ amount: 600 });
    // The payment is taken off the debt, so the rest may be asked for at once.
    expect((await pay(600, { paymentlinkid: link._id })).status).toBe(200);
    await invoiceIs(id, { status: "paid" });
    await eventually(async () => {
      const { body } = await api("GET", "/business/payment-link/list?limit=100");
      const listed = body["data"] as { _id: string; status: string }[];
      expect(listed.find(({ _id }) => _id === link._id)).toMatchObject({ status: "paid" });
    });
  });

  it("asks for at least 10 and at most 150,000 shillings", async () => {
    const small = await makeInvoice(0.5);
    const large = await makeInvoice(400_000);
    expect(await amountOf(small.link._id)).toBe(10);
    expect(await amountOf(large.link._id)).toBe(150_000);
  });

  it("answers 404 when the invoice does not exist", async () => {
    const someId = "507f1f77bcf86cd799439011";
    expect(await pay(100, { invoiceid: someId })).toMatchObject({
      status: 404,
      body: { error: "Invoice not found" },
    });
    expect((await api("GET", `/business/payment-link/details/${someId}`)).status).toBe(404);
  });
});
