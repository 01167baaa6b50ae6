import { type ApiAnswer, call, dataOf, eventually, idIn } from "@malipo/testing";
import { expect } from "vitest";
import type { Receiver } from "./receiver.ts";

export interface Sale {
  readonly invoiceid: string;
  readonly transactionid: string;
}

export interface Business {
  /** Sends a request with the business's secret. Throws if the answer has another status. */
  readonly request: (
    expectedStatus: number,
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<ApiAnswer>;
  /** Creates an invoice and sends a prompt for its amount to a new phone number. */
  readonly sell: () => Promise<Sale>;
  /** Waits until each sale is paid, has one receipt, and the receiver got each of its webhooks once. */
  readonly expectSettled: (sales: readonly Sale[]) => Promise<void>;
}

const settledWithinMs = 40_000;
let lastPhone = 254_711_000_000;

/** Creates a customer, a product and a webhook for a business that exists, so that it can sell. */
export async function setUpBusiness(
  url: string,
  secret: string,
  receiver: Receiver,
): Promise<Business> {
  const request: Business["request"] = async (expectedStatus, method, path, body) => {
    const answer = await call(url + path, method, secret, body);
    if (answer.status === expectedStatus) return answer;
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  };
  const customerid = idIn(
    await request(201, "POST", "/business/customer/create", { name: "Asha" }),
  );
  const product = { title: "Unga 2kg", price: 189.5 };
  const itemid = idIn(await request(201, "POST", "/business/product/create", product));
  await request(201, "POST", "/business/webhook/create", { url: receiver.url, events: ["*"] });

  return {
    request,
    sell: async () => {
      const invoice = {
        customerid,
        items: [{ itemid, quantity: 2, rate: 250 }],
        duedate: "2099-12-31",
      };
      const invoiceid = idIn(await request(201, "POST", "/business/invoice/create", invoice));
      const prompt = { amount: 500, phone: String((lastPhone += 1)), channel: "momo", invoiceid };
      const prompted = await request(200, "POST", "/business/payments/mobile/request", prompt);
      return { invoiceid, transactionid: String(dataOf(prompted)["transactionid"]) };
    },
    expectSettled: async (sales) => {
      for (const { invoiceid, transactionid } of sales) {
        await eventually(async () => {
          const invoice = await request(200, "GET", `/business/invoice/details/${invoiceid}`);
          expect(dataOf(invoice)).toMatchObject({ status: "paid", balance: 0 });
          const path = `/business/receipt/list?invoiceid=${invoiceid}`;
          const receipts = await request(200, "GET", path);
          expect(receipts.body["data"]).toMatchObject([{ transactionid, amount: 500 }]);
        }, settledWithinMs);
      }
      const expected = sales.flatMap(({ invoiceid, transactionid }) => [
        `invoice.created ${invoiceid}`,
        `invoice.paid ${invoiceid}`,
        `payment.completed ${transactionid}`,
      ]);
      await eventually(() => {
        const counts = expected.map((webhook) => [webhook, receiver.counts.get(webhook)]);
        expect(counts).toEqual(expected.map((webhook) => [webhook, 1]));
      }, settledWithinMs);
    },
  };
}
