import { dataOf, eventually, idIn, readEvents, useSystem } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { beforeAll, describe, expect, it } from "vitest";

const system = useSystem(["invoice", "subscription"]);
const { api } = system;

let customerid: string;
let itemid: string;

beforeAll(async () => {
  customerid = idIn(
    await api("POST", "/business/customer/create", {
      name: "Asha Wanjiru",
      email: "asha@example.co.ke",
      phone: "254712345678",
    }),
  );
  itemid = idIn(await api("POST", "/business/product/create", { title: "Internet", price: 2500 }));
});

const order = (fields: object = {}) => ({
  customerid,
  items: [{ itemid, quantity: 2, rate: 1250.5 }],
  ...fields,
});

const create = (fields?: object, headers?: Record<string, string>) =>
  api("POST", "/business/subscription/create", order(fields), headers);

const invoicesOf = async (id: string) => {
  const listed = await api("GET", `/business/invoice/list?customerid=${customerid}&limit=100`);
  const invoices = await Promise.all(
    (listed.body["data"] as { _id: string }[]).map(async ({ _id }) =>
      dataOf(await api("GET", `/business/invoice/details/${_id}`)),
    ),
  );
  return invoices.filter((invoice) => invoice["subscriptionid"] === id);
};

async function issuedOf(id: string, count: number) {
  return eventually(async () => {
    const invoices = await invoicesOf(id);
    expect(invoices).toHaveLength(count);
    return invoices;
  });
}

/** Moves the stored dates of a subscription into the past by a number of days. */
async function age(id: string, days: number): Promise<void> {
  const subscriptions = system.database("subscription").collection("subscriptions");
  const found = await subscriptions.findOne({ _id: new ObjectId(id) });
  const earlier = (date: Date | null) => date && new Date(date.getTime() - days * 86_400_000);
  await subscriptions.updateOne(
    { _id: new ObjectId(id) },
    {
      $set: {
        rhythm: earlier(found?.["rhythm"]),
        nextbillingdate: earlier(found?.["nextbillingdate"]),
        coveredthrough: earlier(found?.["coveredthrough"]),
        dueat: earlier(found?.["dueat"]),
        pendingsince: earlier(found?.["pendingsince"]),
      },
      $inc: { version: 1 },
    },
  );
}

describe("a subscription", () => {
  it("is created, read and listed in the shape of the interface", async () => {
    const created = await create({ autorenew: true, remark: "Call first", paymentmethod: "mpesa" });
    expect(created.status).toBe(201);
    const day = 86_400_000;
    const data = dataOf(created);
    expect(created.body).toEqual({
      success: true,
      message: "Subscription created successfully",
      data: {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        subscriptionno: expect.stringMatching(/^SUB-\d{6}$/),
        title: "Internet",
        status: "active",
        amount: 2501,
        billingcycle: "monthly",
        autorenew: true,
        trial: null,
        nextbillingdate: new Date(Date.parse(String(data["createdat"])) + 30 * day).toISOString(),
        paymentlink: { shorturl: expect.stringMatching(/^http:\/\/.*\/p\/s[a-z2-9]{9}$/) },
        createdat: expect.any(String),
      },
    });
    const details = await api("GET", `/business/subscription/details/${idIn(created)}`);
    expect(dataOf(details)).toMatchObject({
      fees: 0,
      channel: "momo",
      remark: "Call first",
      cancelreason: null,
      customer: {
        _id: customerid,
        name: "Asha Wanjiru",
        email: "asha@example.co.ke",
        phone: "254712345678",
      },
      items: [{ itemid, title: "Internet", quantity: 2, rate: 1250.5, amount: 2501 }],
      paymentlink: { qrcode: expect.stringMatching(/^data:image\/png;base64,/) },
    });
    const listed = await api("GET", "/business/subscription/list?search=internet&status=active");
    expect(listed.body["data"]).toMatchObject([{ _id: idIn(created), customerid }]);
    const number = String(dataOf(created)["subscriptionno"]);
    for (const search of [number, number.slice(0, 9).toLowerCase()]) {
      const found = await api("GET", `/business/subscription/list?search=${search}`);
      expect(found.body["data"]).toContainEqual(expect.objectContaining({ _id: idIn(created) }));
    }
    const [invoice] = await issuedOf(idIn(created), 1);
    expect(invoice).toMatchObject({ status: "unpaid", balance: 2501, title: "Internet" });
  });

  it.each([
    [{ customerid: "6743f1b2c9e8a45d3f0b7c20" }, 404, "Customer not found"],
    [{ customerid: "unknown" }, 404, "Customer not found"],
    [{ items: [] }, 400, "At least one item is required"],
    [{ items: undefined }, 400, "At least one item is required"],
    [
      { items: [{ itemid: "6743f1b2c9e8a45d3f0b7c21", quantity: 1, rate: 1 }] },
      404,
      "product not found: 6743f1b2c9e8a45d3f0b7c21",
    ],
    [
      { billingcycle: "daily" },
      400,
      "billingcycle must be one of: weekly, monthly, quarterly, yearly",
    ],
    [{ trial: {} }, 400, "trial.enddate is required"],
    [{ trial: { enddate: "2020-01-01" } }, 400, "trial.enddate must be in the future"],
    [{ enddate: "2020-01-01" }, 400, "enddate must be in the future"],
    [{ paymentmethod: "card" }, 400, "paymentmethod must be one of: momo, mpesa, mobile_money"],
  ])("is refused with %j", async (fields, status, message) => {
    const answer = await create(fields);
    expect([answer.status, answer.body["message"]]).toEqual([status, message]);
  });

  it("answers 400 for an invalid id and 404 for an unknown one", async () => {
    for (const path of ["details", "generate-invoice"]) {
      const invalid = await api("GET", `/business/subscription/${path}/nonsense`);
      expect([invalid.status, invalid.body["message"]]).toEqual([400, "Invalid subscription ID"]);
      const unknown = await api("GET", `/business/subscription/${path}/6743f1b2c9e8a45d3f0b7c20`);
      expect([unknown.status, unknown.body["message"]]).toEqual([404, "Subscription not found"]);
    }
  });

  it("is created once when a create is repeated with the same idempotency key", async () => {
    const headers = { "idempotency-key": "one-subscription" };
    const [first, second] = [await create({}, headers), await create({}, headers)];
    expect(second.text).toBe(first.text);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
  });
});

describe("the lifecycle of a subscription", () => {
  it("is paused, resumed and cancelled with one event each", async () => {
    const id = idIn(await create({ autorenew: true }));
    const paused = await api("POST", `/business/subscription/pause/${id}`);
    expect(paused.body).toEqual({ success: true, message: "Subscription paused successfully" });
    const again = await api("POST", `/business/subscription/pause/${id}`);
    expect([again.status, again.body["message"]]).toEqual([409, "Subscription is paused"]);
    const resumed = await api("POST", `/business/subscription/resume/${id}`);
    expect(resumed.body).toEqual({ success: true, message: "Subscription resumed successfully" });
    const body = { reason: "Moved away" };
    const cancelled = await api("POST", `/business/subscription/cancel/${id}`, body);
    expect(cancelled.body).toEqual({
      success: true,
      message: "Subscription cancelled successfully",
    });
    const details = dataOf(await api("GET", `/business/subscription/details/${id}`));
    expect(details).toMatchObject({
      status: "cancelled",
      cancelreason: "Moved away",
      nextbillingdate: null,
    });
    const events = await eventually(async () => {
      const published = await readEvents(system.servers);
      const types = published.filter(({ recordid }) => recordid === id).map(({ type }) => type);
      expect(types).toHaveLength(5);
      return types;
    });
    expect(events).toEqual([
      "subscription.created",
      "subscription.billed",
      "subscription.paused",
      "subscription.resumed",
      "subscription.cancelled",
    ]);
  });

  it("is cancelled by a request without a body", async () => {
    const id = idIn(await create());
    expect((await api("POST", `/business/subscription/cancel/${id}`)).status).toBe(200);
  });

  it("has status trial until the trial ends, and refuses a manual invoice", async () => {
    const trial = { startdate: "2026-01-01", enddate: "2036-02-01" };
    const created = await create({ trial });
    expect(dataOf(created)).toMatchObject({
      status: "trial",
      trial: {
        startdate: "2025-12-31T21:00:00.000Z",
        enddate: "2036-02-01T20:59:59.999Z",
        activesubscription: true,
      },
      nextbillingdate: "2036-02-01T20:59:59.999Z",
    });
    const path = `/business/subscription/generate-invoice/${idIn(created)}`;
    const refused = await api("GET", path);
    expect([refused.status, refused.body["message"]]).toEqual([409, "Subscription is trial"]);
  });

  it("answers the same manual invoice until it is paid, then a new one", async () => {
    const id = idIn(await create());
    const generate = async () => {
      const answer = await api("GET", `/business/subscription/generate-invoice/${id}`);
      expect(answer.status).toBe(200);
      return dataOf(answer) as { invoice: { _id: string; invoiceno: string; status: string } };
    };
    const first = await generate();
    expect(first).toEqual({
      invoice: {
        _id: expect.any(String),
        invoiceno: expect.stringMatching(/^INV-/),
        status: "unpaid",
        balance: 2501,
        duedate: expect.any(String),
      },
      paymentlink: expect.stringMatching(/\/p\/i/),
    });
    expect(await generate()).toEqual(first);
    await api("PATCH", `/business/invoice/update/${first.invoice._id}`, { status: "paid" });
    const second = await generate();
    expect(second.invoice._id).not.toBe(first.invoice._id);
    expect(second.invoice.status).toBe("unpaid");
  });

  it("becomes pending with a renewal offer, and active when the offer is paid", async () => {
    const id = idIn(await create({ billingcycle: "weekly" }));
    const [first] = await issuedOf(id, 1);
    await api("PATCH", `/business/invoice/update/${String(first?.["_id"])}`, { status: "paid" });
    await age(id, 8);
    const refused = await api("POST", `/business/subscription/pause/${id}`);
    expect([refused.status, refused.body["message"]]).toEqual([409, "Subscription is pending"]);
    const [offer] = await issuedOf(id, 2);
    await api("PATCH", `/business/invoice/update/${String(offer?.["_id"])}`, { status: "paid" });
    await eventually(async () => {
      const details = dataOf(await api("GET", `/business/subscription/details/${id}`));
      expect(details["status"]).toBe("active");
    });
  });

  it("is pending while an invoice is set overdue before its due date", async () => {
    const id = idIn(await create({ billingcycle: "weekly" }));
    const [first] = await issuedOf(id, 1);
    const set = (status: string, fields: object = {}) =>
      api("PATCH", `/business/invoice/update/${String(first?.["_id"])}`, { status, ...fields });
    await set("overdue");
    const subscriptions = system.database("subscription").collection("subscriptions");
    const updated = { _id: new ObjectId(id), "invoices.0.state": "overdue" };
    await eventually(async () => expect(await subscriptions.countDocuments(updated)).toBe(1));
    const refused = await api("POST", `/business/subscription/pause/${id}`);
    expect([refused.status, refused.body["message"]]).toEqual([409, "Subscription is pending"]);
    await set("overdue", { duedate: "2026-01-31" });
    await set("unpaid");
    await eventually(async () => {
      const details = dataOf(await api("GET", `/business/subscription/details/${id}`));
      expect(details["status"]).toBe("active");
    });
  });

  it("finishes an interrupted expiry when the cancelled invoice was never identified", async () => {
    const id = idIn(await create({ billingcycle: "weekly" }));
    const [invoice] = await issuedOf(id, 1);
    const now = new Date();
    const begun = { status: "pending", pendingsince: now, expiring: now, nextbillingdate: null };
    const subscriptions = system.database("subscription").collection("subscriptions");
    const notIdentified = { _id: new ObjectId(id), "invoices.0.invoiceid": null };
    await subscriptions.updateOne(notIdentified, { $set: begun, $inc: { version: 1 } });
    await api("PATCH", `/business/invoice/update/${String(invoice?.["_id"])}`, {
      status: "cancelled",
    });
    const paused = await api("POST", `/business/subscription/pause/${id}`);
    expect(paused).toMatchObject({ status: 409, text: expect.stringContaining("expired") });
    const details = await api("GET", `/business/subscription/details/${id}`);
    expect(dataOf(details)).toMatchObject({ status: "expired" });
  });

  it("does not expire when an open invoice without a known id is paid", async () => {
    const id = idIn(await create({ billingcycle: "weekly" }));
    const [first] = await issuedOf(id, 1);
    const subscriptions = system.database("subscription").collection("subscriptions");
    const expiring = { status: "pending", nextbillingdate: null, expiring: new Date() };
    await subscriptions.updateOne({ _id: new ObjectId(id) }, { $set: expiring });
    await api("PATCH", `/business/invoice/update/${String(first?.["_id"])}`, { status: "paid" });
    const refused = await api("POST", `/business/subscription/resume/${id}`);
    expect([refused.status, refused.body["message"]]).toEqual([409, "Subscription is pending"]);
  });

  it("is active when its invoice is paid but the payment update was lost", async () => {
    const id = idIn(await create({ billingcycle: "weekly" }));
    const [first] = await issuedOf(id, 1);
    await api("PATCH", `/business/invoice/update/${String(first?.["_id"])}`, { status: "paid" });
    const subscriptions = system.database("subscription").collection("subscriptions");
    const updated = { _id: new ObjectId(id), "invoices.0.state": "closed" };
    await eventually(async () => expect(await subscriptions.countDocuments(updated)).toBe(1));
    const duedate = new Date(Date.now() - 60_000);
    const lostUpdate = { invoiceid: null, seq: 0, state: "open", duedate };
    const set = Object.entries(lostUpdate).map(([name, value]) => [`invoices.0.${name}`, value]);
    await subscriptions.updateOne(updated, { $set: Object.fromEntries(set) });
    expect((await api("POST", `/business/subscription/pause/${id}`)).status).toBe(200);
  });
});
