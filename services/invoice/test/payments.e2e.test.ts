import { newId } from "@malipo/platform";
import { dataOf, eventually, idIn, publishEvents, readEvents, useSystem } from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { paymentCompleted } from "./payment-event.ts";

const system = useSystem(["invoice"]);
const { api } = system;

let productid: string;

beforeAll(async () => {
  const product = { title: "Internet", price: 1_000 };
  productid = idIn(await api("POST", "/business/product/create", product));
});

const details = async (id: string) => dataOf(await api("GET", `/business/invoice/details/${id}`));
const customer = async (id: string) => dataOf(await api("GET", `/business/customer/details/${id}`));

async function newCustomer(): Promise<string> {
  return idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
}

async function newInvoice(customerid: string, rate = 1_000): Promise<string> {
  const items = [{ itemid: productid, quantity: 1, rate }];
  const body = { customerid, items, duedate: "2030-01-31" };
  return idIn(await api("POST", "/business/invoice/create", body));
}

/** Publishes the event of a completed payment. */
async function send(invoiceid: string | null, amount: number, transactionid = newId()) {
  const { businessid } = system.business;
  const event = paymentCompleted(businessid, invoiceid, amount, new Date(), transactionid);
  await publishEvents(system.servers, [event]);
  return transactionid;
}

async function eventsOf(id: string): Promise<string[]> {
  const events = await readEvents(system.servers);
  return events.filter(({ recordid }) => recordid === id).map(({ type }) => type);
}

describe("a payment", () => {
  it("is applied once, in part and then in full, and leaves its surplus as credit", async () => {
    const asha = await newCustomer();
    const id = await newInvoice(asha);
    const first = await send(id, 400);
    await send(id, 400, first);
    await eventually(async () =>
      expect(await details(id)).toMatchObject({ status: "partially_paid", balance: 600 }),
    );
    const second = await send(id, 700);
    await eventually(async () => {
      const paid = await details(id);
      expect(paid).toMatchObject({
        status: "paid",
        balance: 0,
        payments: [
          { _id: first, source: "payment", amount: 400, applied: 400 },
          { _id: second, source: "payment", amount: 700, applied: 600 },
        ],
        paymentlinks: [{ status: "paid" }],
      });
      expect(await customer(asha)).toMatchObject({ credit: 100 });
    });
    await eventually(async () =>
      expect(await eventsOf(id)).toEqual([
        "invoice.created",
        "invoice.partially_paid",
        "invoice.paid",
        "credit.granted",
      ]),
    );
  });

  it("with a surplus pays the customer's next invoice", async () => {
    const asha = await newCustomer();
    const first = await newInvoice(asha, 100);
    const transaction = await send(first, 350);
    await eventually(async () => expect(await customer(asha)).toMatchObject({ credit: 250 }));
    const second = await newInvoice(asha, 200);
    await eventually(async () =>
      expect(await details(second)).toMatchObject({
        status: "paid",
        payments: [{ _id: `credit:${transaction}:${second}`, source: "credit", amount: 200 }],
      }),
    );
    expect(await customer(asha)).toMatchObject({ credit: 50 });
  });

  it("becomes credit when its invoice is cancelled, and pays it again when it is reopened", async () => {
    const asha = await newCustomer();
    const id = await newInvoice(asha);
    await send(id, 400);
    await eventually(async () => expect(await details(id)).toMatchObject({ balance: 600 }));
    const set = async (status: string) =>
      api("PATCH", `/business/invoice/update/${id}`, { status });
    await set("cancelled");
    await eventually(async () => expect(await customer(asha)).toMatchObject({ credit: 400 }));
    expect(await details(id)).toMatchObject({
      status: "cancelled",
      balance: 1_000,
      paymentlinks: [{ status: "cancelled" }],
    });
    await set("unpaid");
    await eventually(async () =>
      expect(await details(id)).toMatchObject({ status: "partially_paid", balance: 600 }),
    );
    expect(await customer(asha)).toMatchObject({ credit: 0 });
  });

  it("without an invoice is ignored, and for an unknown invoice it becomes a dead letter", async () => {
    await send(null, 100);
    const missing = newId();
    await send(missing, 100);
    await eventually(async () => {
      const { body } = await system.operator("GET", "/operator/dead/letters");
      const letters = body["data"] as { reason: string; consumer: string }[];
      expect(letters.map(({ consumer, reason }) => [consumer, reason])).toEqual([
        ["invoice-on-payment", `no invoice ${missing}`],
      ]);
    }, 60_000);
  });
});
