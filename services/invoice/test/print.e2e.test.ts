import { newId } from "@malipo/platform";
import {
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  pdfPages,
  publishEvents,
  useSystem,
} from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { paymentCompleted } from "./payment-event.ts";

const system = useSystem(["invoice"]);
const { api } = system;

let printurl: string;
let id: string;

beforeAll(async () => {
  const customer = await api("POST", "/business/customer/create", {
    name: "Asha <b>Wanjiru</b>",
    email: "asha@example.co.ke",
    phone: "254712345678",
  });
  const product = await api("POST", "/business/product/create", { title: "Unga", price: 189.5 });
  const created = await api("POST", "/business/invoice/create", {
    customerid: idIn(customer),
    title: "Flour for November",
    items: [{ itemid: idIn(product), quantity: 2, rate: 189.5 }],
    duedate: "2030-01-31",
  });
  id = idIn(created);
  printurl = await printUrlOf(id);
});

/** The address of the page at the gateway of these tests. */
async function printUrlOf(invoiceid: string): Promise<string> {
  const details = dataOf(await api("GET", `/business/invoice/details/${invoiceid}`));
  const { pathname } = new URL(String(details["printurl"]));
  return `${system.gateway().apiUrl}${pathname}`;
}

const fetchPage = async (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers });

describe("the printable invoice", () => {
  it("is a page under its secret code only, with masked email and phone", async () => {
    const answer = await fetchPage(printurl);
    const page = await answer.text();
    expect(answer.status).toBe(200);
    for (const text of [
      "Duka la Mtihani",
      "Flour for November",
      "Asha &#60;b&#62;Wanjiru&#60;/b&#62;",
      "a•••@example.co.ke",
      "2547•••••678",
      "KES 379.00",
      "31 January 2030",
    ]) {
      expect(page).toContain(text);
    }
    expect(page).not.toMatch(/254712345678|asha@example/);
    expect(page).toMatch(/href="[^"]+\/p\/i[a-z0-9]{9}"/);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const others = [`${printurl}x`, printurl.slice(0, -1), `${system.gateway().apiUrl}/i/${id}`];
    for (const url of [...others, `${system.gateway().apiUrl}/i/${"A".repeat(22)}`]) {
      expect({ url, status: (await fetchPage(url)).status }).toEqual({ url, status: 404 });
    }
  });

  it("is a PDF with the invoice number as its file name", async () => {
    // A PDF has four seconds, and the first one starts a worker: on a busy machine the test retries.
    const answer = await eventually(async () => {
      const made = await fetchPage(`${printurl}.pdf`);
      expect(made.status).toBe(200);
      return made;
    }, 20_000);
    expect(answer.headers.get("content-type")).toBe("application/pdf");
    expect(answer.headers.get("content-disposition")).toMatch(/^inline; filename="INV-\d+\.pdf"$/);
    const [page] = await pdfPages(new Uint8Array(await answer.arrayBuffer()));
    expect(page).toContain("FlourforNovember");
    expect(page).toContain("Asha<b>Wanjiru</b>");
    const again = await fetchPage(`${printurl}.pdf`, {
      "if-none-match": answer.headers.get("etag") ?? "",
    });
    expect(again.status).toBe(304);
  });

  it("shows the present state of the invoice", async () => {
    const before = await fetchPage(printurl);
    await api("PATCH", `/business/invoice/update/${id}`, { title: "Flour", discount: 79 });
    const after = await fetchPage(printurl);
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
    expect(await after.text()).toContain("KES 300.00");
    await api("PATCH", `/business/invoice/update/${id}`, { status: "paid" });
    const paid = await (await fetchPage(printurl)).text();
    expect(paid).toContain("Settled with the business");
    expect(paid).not.toContain("/p/");
    const [pdf] = await pdfPages(
      new Uint8Array(await (await fetchPage(`${printurl}.pdf`)).arrayBuffer()),
    );
    expect(pdf).toContain("Settledwiththebusiness");
  });

  it("shows M-Pesa's receipt number beside each payment that has one", async () => {
    const { businessid } = system.business;
    const product = await api("POST", "/business/product/create", { title: "Sukari", price: 1 });
    const customer = await api("POST", "/business/customer/create", { name: "Brian" });
    const invoiceid = idIn(
      await api("POST", "/business/invoice/create", {
        customerid: idIn(customer),
        items: [{ itemid: idIn(product), quantity: 1, rate: 500 }],
        duedate: "2030-01-31",
      }),
    );
    const at = new Date();
    await publishEvents(system.servers, [
      paymentCompleted(businessid, invoiceid, 100, at, newId(), "UKL7A1B2C3"),
      paymentCompleted(businessid, invoiceid, 150, at),
    ]);
    const url = await printUrlOf(invoiceid);
    const page = await eventually(async () => {
      const text = await (await fetchPage(url)).text();
      expect(text).toContain("KES 250.00");
      return text;
    });
    expect(page).toContain("M-Pesa UKL7A1B2C3");
    expect(page.match(/<bdi>Payment<\/bdi>/g)).toHaveLength(1);
    const bytes = await (await fetchPage(`${url}.pdf`)).arrayBuffer();
    expect((await pdfPages(new Uint8Array(bytes))).join("")).toContain("M-PesaUKL7A1B2C3100.00");
  });

  it("says that a suspended business takes no payments", async () => {
    const other = await makeBusiness(system.gateway());
    const ask = async (path: string, body: object) => {
      const answer = await fetch(`${system.gateway().apiUrl}${path}`, {
        method: "POST",
        headers: { authorization: other.secret, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return ((await answer.json()) as { data: { _id: string } }).data._id;
    };
    const customerid = await ask("/business/customer/create", { name: "Brian" });
    const itemid = await ask("/business/product/create", { title: "Sukari", price: 1 });
    const items = [{ itemid, quantity: 1, rate: 160 }];
    const draft = { customerid, items, duedate: "2030-01-31" };
    const invoiceid = await ask("/business/invoice/create", draft);
    const stored = await system.database("invoice").collection("invoices").findOne({
      "paylink.id": invoiceid,
    });
    const url = `${system.gateway().apiUrl}/i/${String(stored?.["code"])}`;
    expect(await (await fetchPage(url)).text()).toContain("/p/");
    await system.operator("POST", `/operator/business/suspend/${other.businessid}`);
    await eventually(async () =>
      expect(await (await fetchPage(url)).text()).toContain("does not take payments at the moment"),
    );
  });
});
