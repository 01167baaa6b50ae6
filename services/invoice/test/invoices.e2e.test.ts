import {
  type ApiAnswer,
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  readEvents,
  useSystem,
} from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";

const system = useSystem(["invoice"]);
const { api } = system;
const nobody = "507f1f77bcf86cd799439011";

let customerid: string;
let unga: string;
let sukari: string;
let vat: string;

beforeAll(async () => {
  const created = await Promise.all([
    api("POST", "/business/customer/create", {
      name: "Asha Wanjiru",
      email: "asha@example.co.ke",
      phone: "254712345678",
    }),
    api("POST", "/business/product/create", { title: "Unga 2kg", price: 189.5 }),
    api("POST", "/business/product/create", { title: "Sukari 1kg", price: 160 }),
    api("POST", "/business/tax/create", { title: "VAT", rate: 16 }),
  ]);
  [customerid = "", unga = "", sukari = "", vat = ""] = created.map(idIn);
});

const create = async (body: object) => api("POST", "/business/invoice/create", body);
const details = async (id: string) => dataOf(await api("GET", `/business/invoice/details/${id}`));
const update = async (id: string, body: object) =>
  api("PATCH", `/business/invoice/update/${id}`, body);

function draft(more: object = {}): object {
  const items = [{ itemid: unga, quantity: 2, rate: 189.5 }];
  return { customerid, items, duedate: "2030-01-31", ...more };
}

async function eventsOf(id: string) {
  const events = await readEvents(system.servers);
  return events.filter(({ recordid }) => recordid === id);
}

async function texts(body: object) {
  const { status, body: answer } = await create(body);
  return [status, answer["code"], answer["error"]];
}

describe("an invoice", () => {
  it("is created with the answer and the details that the interface shows", async () => {
    const created = await create(
      draft({
        items: [
          { itemid: unga, quantity: 2, rate: 189.5 },
          { itemid: sukari, name: "Sugar", quantity: 3, rate: 160 },
        ],
        taxid: vat,
        discount: 10,
        discounttype: "percentage",
        description: "November",
        remark: "Call first",
        invoicedate: "2029-12-01",
      }),
    );
    expect(created.status).toBe(201);
    const id = idIn(created);
    const base = system.gateway().apiUrl;
    expect(created.body).toEqual({
      success: true,
      message: "Invoice created successfully",
      data: {
        _id: id,
        invoiceno: expect.stringMatching(/^INV-\d{6}$/),
        title: "Unga 2kg and 1 more",
        status: "unpaid",
        // (2 × 189.50 + 3 × 160 = 859.00) − 10 % = 773.10, + 16 % = 896.796
        balance: 896.8,
        invoicedate: "2029-11-30T21:00:00.000Z",
        duedate: "2030-01-31T20:59:59.999Z",
        items: [
          { itemid: unga, name: "Unga 2kg", quantity: 2, rate: 189.5 },
          { itemid: sukari, name: "Sugar", quantity: 3, rate: 160 },
        ],
        customer: {
          _id: customerid,
          name: "Asha Wanjiru",
          email: "asha@example.co.ke",
          phone: "254712345678",
        },
        paymentlink: {
          _id: expect.stringMatching(/^[0-9a-f]{24}$/),
          shorturl: expect.stringMatching(/\/p\/i[a-hj-km-np-z2-9]{9}$/),
        },
        qrcode: expect.stringMatching(/\/qr\/i[a-hj-km-np-z2-9]{9}\.png$/),
        createdat: expect.stringMatching(/Z$/),
      },
    });
    const shown = await details(id);
    const { paymentlink, ...same } = dataOf(created);
    const address = (paymentlink as { shorturl: string }).shorturl;
    expect(address.startsWith(`${base}/p/`)).toBe(true);
    expect(shown).toEqual({
      ...same,
      description: "November",
      remark: "Call first",
      subtotal: 859,
      discount: 85.9,
      discounttype: "percentage",
      taxamount: 123.7,
      taxid: vat,
      items: [
        { itemid: unga, name: "Unga 2kg", quantity: 2, rate: 189.5, total: 379 },
        { itemid: sukari, name: "Sugar", quantity: 3, rate: 160, total: 480 },
      ],
      payments: [],
      settledoutside: 0,
      paymentlinks: [
        {
          _id: (paymentlink as { _id: string })._id,
          shorturl: address.slice(-10),
          rawurl: address,
          status: "active",
        },
      ],
      printurl: expect.stringMatching(/\/i\/[\w-]{22}$/),
      subscriptionid: null,
      updatedat: same["createdat"],
    });
  });

  it("is created from a customer, an item and a due date with a time", async () => {
    const created = await create(draft({ duedate: "2030-01-31T10:00:00Z" }));
    expect(dataOf(created)).toMatchObject({
      title: "Unga 2kg",
      balance: 379,
      duedate: "2030-01-31T10:00:00.000Z",
    });
    expect(await details(idIn(created))).toMatchObject({
      description: null,
      remark: null,
      discount: 0,
      discounttype: "fixed",
      taxamount: 0,
      invoicedate: dataOf(created)["createdat"],
    });
  });

  it.each([
    [{ items: undefined }, "At least one item is required"],
    [{ items: [] }, "At least one item is required"],
    [{ items: null }, "At least one item is required"],
    [{ items: "unga" }, "items must be a list"],
    [{ duedate: "soon" }, "Invalid duedate format. Use YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ"],
    [{ duedate: "2030-02-30" }, "Invalid duedate format. Use YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ"],
    [{ duedate: 20300131 }, "Invalid duedate format. Use YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ"],
    [{ duedate: undefined }, "duedate is required"],
    [{ invoicedate: "x" }, "Invalid invoicedate format. Use YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ"],
    [{ customerid: undefined }, "customerid is required"],
    [{ discount: -1 }, "discount must not be negative"],
    [{ discount: 1.234 }, "discount must have at most two decimals"],
    [{ discount: 379.01 }, "discount must not be more than the subtotal"],
    [{ discount: 101, discounttype: "percentage" }, "discount must be at most 100 percent"],
    [{ discounttype: "half" }, "discounttype must be one of: percentage, fixed"],
    [{ title: "" }, "title must not be empty"],
    // The shape is checked before the records that the body names.
    [
      { customerid: nobody, duedate: "x" },
      "Invalid duedate format. Use YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ",
    ],
  ])("is refused with %j", async (wrong, text) => {
    const answer = await create(draft(wrong));
    expect([answer.status, answer.body["code"]]).toEqual([400, "invalid_request"]);
    expect(answer.body["error"]).toBe(text);
  });

  it.each([
    [{ quantity: 1.5 }, "items.0.quantity must be a whole number"],
    [{ quantity: 0 }, "items.0.quantity must be at least 1"],
    [{ quantity: 1_000_001 }, "items.0.quantity must be at most 1000000"],
    [{ rate: 10.001 }, "items.0.rate must have at most two decimals"],
    [{ rate: -1 }, "items.0.rate must not be negative"],
    [{ rate: undefined }, "items.0.rate is required"],
    [{ rate: 1e12, quantity: 2 }, "items come to too large an amount"],
    [{ itemid: 7 }, "items.0.itemid must be a string"],
  ])("is refused with an item of %j", async (wrong, text) => {
    const answer = await create(
      draft({ items: [{ itemid: unga, quantity: 1, rate: 1, ...wrong }] }),
    );
    expect([answer.status, answer.body["error"]]).toEqual([400, text]);
  });

  it("has at most 200 items", async () => {
    const items = Array.from({ length: 201 }, () => ({ itemid: unga, quantity: 1, rate: 0.01 }));
    expect(dataOf(await create(draft({ items: items.slice(1) })))).toMatchObject({
      balance: 2,
      title: "Unga 2kg and 199 more",
    });
    const answer = await create(draft({ items }));
    expect([answer.status, answer.body["error"]]).toEqual([
      400,
      "items must be at most 200 entries",
    ]);
  });

  it("answers 404 for an unknown customer first, then an unknown product, then an unknown tax", async () => {
    const wrong = { items: [{ itemid: nobody, quantity: 1, rate: 1 }] };
    const none = "Customer not found in this business";
    expect(await texts(draft({ ...wrong, customerid: nobody }))).toEqual([404, "not_found", none]);
    expect(await texts(draft({ customerid: "asha" }))).toEqual([404, "not_found", none]);
    expect(await texts(draft({ ...wrong, taxid: nobody }))).toEqual([
      404,
      "not_found",
      `product not found: ${nobody}`,
    ]);
    const second = [
      { itemid: unga, quantity: 1, rate: 1 },
      { itemid: "x-1", quantity: 1, rate: 1 },
    ];
    expect(await texts(draft({ items: second }))).toEqual([
      404,
      "not_found",
      "product not found: x-1",
    ]);
    expect(await texts(draft({ taxid: nobody }))).toEqual([404, "not_found", "Tax not found"]);
  });

  it("turns paid at once when its balance is zero, with both events", async () => {
    const created = await create(draft({ discount: 379 }));
    expect(dataOf(created)).toMatchObject({ status: "unpaid", balance: 0 });
    expect(await details(idIn(created))).toMatchObject({ status: "paid", balance: 0 });
    await eventually(async () => {
      const events = await eventsOf(idIn(created));
      expect(events.map(({ type, data }) => [type, data])).toEqual([
        ["invoice.created", expect.objectContaining({ status: "unpaid", balance: 0 })],
        ["invoice.paid", expect.objectContaining({ status: "paid", balance: 0 })],
      ]);
    });
  });

  it("sends invoice.created with the data that the interface shows", async () => {
    const created = await create(draft({ title: "Unga" }));
    const { _id, invoiceno, duedate } = dataOf(created);
    await eventually(async () => {
      const [event] = await eventsOf(idIn(created));
      expect(event).toMatchObject({ type: "invoice.created", seq: 1 });
      expect(event?.data).toEqual({
        _id,
        invoiceno,
        status: "unpaid",
        balance: 379,
        customer: { _id: customerid, name: "Asha Wanjiru" },
        duedate,
      });
    });
  });

  it("is created once when the idempotency key is repeated", async () => {
    const headers = { "idempotency-key": "invoice-once" };
    const send = async () => api("POST", "/business/invoice/create", draft(), headers);
    const [first, again] = [await send(), await send()];
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });
});

describe("invoice numbers", () => {
  it("start at one in every business, rise, and are unique", async () => {
    const other = await makeBusiness(system.gateway());
    const asOther = async (path: string, body: object): Promise<ApiAnswer> =>
      call(`${system.gateway().apiUrl}/business/${path}/create`, "POST", other.secret, body);
    const customer = idIn(await asOther("customer", { name: "Juma" }));
    const product = idIn(await asOther("product", { title: "Chai", price: 20 }));
    const invoice = async () => {
      const items = [{ itemid: product, quantity: 1, rate: 20 }];
      const body = { customerid: customer, items, duedate: "2030-01-31" };
      return String(dataOf(await asOther("invoice", body))["invoiceno"]);
    };
    expect([await invoice(), await invoice()]).toEqual(["INV-000001", "INV-000002"]);
    const together = await Promise.all(Array.from({ length: 20 }, invoice));
    expect(together.toSorted()).toEqual(
      Array.from({ length: 20 }, (_, index) => `INV-${String(index + 3).padStart(6, "0")}`),
    );
    expect(await invoice()).toBe("INV-000023");
  });
});

describe("the list of invoices", () => {
  it("shows summaries, newest first, filtered by status, customer and search", async () => {
    const other = await makeBusiness(system.gateway());
    const ask = async (method: string, path: string, body?: object): Promise<ApiAnswer> =>
      call(system.gateway().apiUrl + path, method, other.secret, body);
    const customers = await Promise.all(
      ["Asha", "Juma"].map(async (name) => ask("POST", "/business/customer/create", { name })),
    );
    const [asha = "", juma = ""] = customers.map(idIn);
    const product = idIn(
      await ask("POST", "/business/product/create", { title: "Chai", price: 20 }),
    );
    const made: Record<string, unknown>[] = [];
    for (const [customer, title] of [
      [asha, "Internet November"],
      [juma, "Internet December"],
      [asha, "Repair"],
    ]) {
      const items = [{ itemid: product, quantity: 1, rate: 20 }];
      const body = { customerid: customer, items, duedate: "2030-01-31", title };
      made.push(dataOf(await ask("POST", "/business/invoice/create", body)));
    }
    const list = async (query: string) => ask("GET", `/business/invoice/list${query}`);
    const titles = async (query: string) =>
      ((await list(query)).body["data"] as { title: string }[]).map(({ title }) => title);

    const all = await list("");
    expect(all.body).toEqual({
      success: true,
      data: made
        .toReversed()
        .map(({ _id, invoiceno, title, status, balance, duedate, createdat }) => ({
          _id,
          invoiceno,
          title,
          status,
          balance,
          duedate,
          createdat,
        })),
      pagination: { total: 3, page: 1, limit: 10, pages: 1 },
    });
    await ask("PATCH", `/business/invoice/update/${String(made[2]?.["_id"])}`, { status: "draft" });
    expect(await titles("?status=unpaid")).toEqual(["Internet December", "Internet November"]);
    expect(await titles("?status=draft")).toEqual(["Repair"]);
    expect(await titles(`?customerid=${asha.toUpperCase()}`)).toEqual([
      "Repair",
      "Internet November",
    ]);
    expect(await titles(`?customerid=${asha}&status=unpaid`)).toEqual(["Internet November"]);
    expect(await titles("?search=INTERNET")).toEqual(["Internet December", "Internet November"]);
    expect(await titles("?search=internet%20november")).toEqual(["Internet November"]);
    expect(await titles("?search=INV-000002")).toEqual(["Internet December"]);
    expect(await titles("?search=000002")).toEqual(["Internet December"]);
    const byNumber = ["Repair", "Internet December", "Internet November"];
    for (const beginning of ["INV-0000", "inv-", "Inv"]) {
      expect(await titles(`?search=${beginning}`)).toEqual(byNumber);
    }
    expect(await titles("?search=inv-0%20internet&limit=1")).toEqual(["Internet December"]);
    expect(await titles("?search=inv-0&status=unpaid&page=2&limit=1")).toEqual([
      "Internet November",
    ]);
    expect(await titles("?search=inv-0001")).toEqual([]);
    expect(await titles("?search=sub-0")).toEqual([]);
    expect(await titles(`?customerid=${nobody}`)).toEqual([]);
    expect(await titles("?limit=2&page=2")).toEqual(["Internet November"]);
    for (const query of ["?status=open", "?customerid=asha", "?page=0", "?limit=0"]) {
      expect({ query, status: (await list(query)).status }).toEqual({ query, status: 400 });
    }
  });
});

describe("a PATCH of an invoice", () => {
  it("answers the changed fields and leaves the others as they are", async () => {
    const id = idIn(await create(draft({ title: "Before", description: "Kept" })));
    const before = await details(id);
    const changed = await update(id, { title: "After", duedate: "2030-02-01", discount: 9.5 });
    const { updatedat } = (dataOf(changed)["updated"] ?? {}) as { updatedat: string };
    expect(changed.body).toEqual({
      success: true,
      message: "Invoice updated successfully",
      data: {
        _id: id,
        invoiceno: before["invoiceno"],
        updated: {
          title: "After",
          duedate: "2030-02-01T20:59:59.999Z",
          discount: 9.5,
          updatedat,
        },
      },
    });
    expect(await details(id)).toEqual({
      ...before,
      title: "After",
      duedate: "2030-02-01T20:59:59.999Z",
      discount: 9.5,
      balance: 369.5,
      updatedat,
    });
  });

  it.each([
    [
      { status: "sent" },
      "status must be one of: draft, unpaid, partially_paid, paid, overdue, cancelled",
    ],
    [{ duedate: "soon" }, "Invalid duedate format. Use YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ"],
    [{ discount: 380 }, "discount must not be more than the subtotal"],
    [{ discounttype: "percentage", discount: 100.5 }, "discount must be at most 100 percent"],
  ])("is refused with %j", async (patch, text) => {
    const id = idIn(await create(draft()));
    const answer = await update(id, patch);
    expect([answer.status, answer.body["error"]]).toEqual([400, text]);
  });

  it("sends invoice.updated, then the event of a status that has changed", async () => {
    const id = idIn(await create(draft()));
    for (const status of ["overdue", "paid", "paid", "partially_paid", "draft", "cancelled"]) {
      expect((await update(id, { status })).status).toBe(200);
    }
    await eventually(async () => {
      const events = await eventsOf(id);
      expect(events.map(({ type }) => type)).toEqual([
        "invoice.created",
        "invoice.updated",
        "invoice.overdue",
        "invoice.updated",
        "invoice.paid",
        "invoice.updated",
        "invoice.updated",
        "invoice.partially_paid",
        "invoice.updated",
        "invoice.updated",
      ]);
    });
  });

  it("answers 409 to a discount on a paid or cancelled invoice", async () => {
    const id = idIn(await create(draft()));
    for (const status of ["paid", "cancelled"]) {
      await update(id, { status });
      const answer = await update(id, { discount: 1 });
      expect([answer.status, answer.body["code"], answer.body["error"]]).toEqual([
        409,
        "conflict",
        `Invoice is ${status}; its discount cannot be changed`,
      ]);
    }
  });
});
