import { type ApiAnswer, call, dataOf, eventually, idIn } from "@malipo/testing";
import { expect } from "vitest";
import type { Receiver } from "./receiver.ts";

export interface Sale {
  readonly invoiceid: string;
  readonly transactionid: string;
}

export interface Business {
  /** Whatever is not answered with this status throws. */
  readonly ask: (
    status: number,
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<ApiAnswer>;
  /** An invoice, and a prompt to somebody's phone to pay it. */
  readonly sell: () => Promise<Sale>;
  /** Every sale is paid, has one receipt, and was told of once. */
  readonly settles: (sales: readonly Sale[]) => Promise<void>;
}

const settlesWithinMs = 40_000;
let lastPhone = 254_711_000_000;

/** What a business does all day: a customer, a product, a webhook, and then sales. */
export async function openBusiness(
  url: string,
  secret: string,
  receiver: Receiver,
): Promise<Business> {
  const ask: Business["ask"] = async (status, method, path, body) => {
    const answer = await call(url + path, method, secret, body);
    if (answer.status === status) return answer;
    throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
  };
  const customerid = idIn(await ask(201, "POST", "/business/customer/create", { name: "Asha" }));
  const product = { title: "Unga 2kg", price: 189.5 };
  const itemid = idIn(await ask(201, "POST", "/business/product/create", product));
  await ask(201, "POST", "/business/webhook/create", { url: receiver.url, events: ["*"] });

  return {
    ask,
    sell: async () => {
      const invoice = {
        customerid,
        items: [{ itemid, quantity: 2, rate: 250 }],
        duedate: "2099-12-31",
      };
      const invoiceid = idIn(await ask(201, "POST", "/business/invoice/create", invoice));
      const prompt = { amount: 500, phone: String((lastPhone += 1)), channel: "momo", invoiceid };
      const asked = await ask(200, "POST", "/business/payments/mobile/request", prompt);
      return { invoiceid, transactionid: String(dataOf(asked)["transactionid"]) };
    },
    settles: async (sales) => {
      for (const { invoiceid, transactionid } of sales) {
        await eventually(async () => {
          const invoice = await ask(200, "GET", `/business/invoice/details/${invoiceid}`);
          expect(dataOf(invoice)).toMatchObject({ status: "paid", balance: 0 });
          const found = await ask(200, "GET", `/business/receipt/list?invoiceid=${invoiceid}`);
          expect(found.body["data"]).toMatchObject([{ transactionid, amount: 500 }]);
        }, settlesWithinMs);
      }
      const expected = sales.flatMap(({ invoiceid, transactionid }) => [
        `invoice.created ${invoiceid}`,
        `invoice.paid ${invoiceid}`,
        `payment.completed ${transactionid}`,
      ]);
      await eventually(() => {
        const times = expected.map((message) => [message, receiver.told.get(message)]);
        expect(times).toEqual(expected.map((message) => [message, 1]));
      }, settlesWithinMs);
    },
  };
}
