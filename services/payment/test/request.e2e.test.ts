import {
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  readEvents,
  startSimulator,
  useSystem,
} from "@malipo/testing";
import { describe, expect, it } from "vitest";

const simulator = await startSimulator();
const system = useSystem(["invoice", "payment"], { env: { MPESA_BASE_URL: simulator.url } });
const { api } = system;

const path = "/business/payments/mobile/request";
let lastPhone = 254_711_000_000;
const nextPhone = () => String((lastPhone += 1));
const order = (phone = nextPhone(), more: object = {}) => ({
  amount: 100,
  phone,
  channel: "momo",
  ...more,
});

const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);

async function transaction(id: unknown) {
  return dataOf(await api("GET", `/business/transaction/details/${String(id)}`));
}

async function waitForOutcome(id: unknown) {
  return eventually(async () => {
    const found = await transaction(id);
    expect(found["status"]).not.toBe("pending");
    return found;
  });
}

async function eventsOf(id: unknown) {
  const all = await readEvents(system.servers);
  return all.filter(({ recordid, type }) => recordid === id && type.startsWith("payment."));
}

describe("POST /business/payments/mobile/request", () => {
  it("prompts the phone, answers with the provider's ids, and completes the payment", async () => {
    const phone = nextPhone();
    const answer = await api("POST", path, order(phone, { referenceid: "order-1042" }));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      success: true,
      message: "Payment request sent successfully",
      data: { responsecode: "0", responsedescription: expect.stringMatching(/accepted/) },
    });
    const { transactionid, checkoutrequestid, merchantrequestid } = dataOf(answer);
    expect(promptsOf(phone)).toHaveLength(1);

    const done = await waitForOutcome(transactionid);
    expect(done).toMatchObject({
      _id: transactionid,
      status: "completed",
      amount: 100,
      currency: "KES",
      phone,
      channel: "momo",
      referenceid: "order-1042",
      checkoutrequestid,
      merchantrequestid,
      momoreceiptnumber: promptsOf(phone)[0]?.receipt,
      reason: null,
    });
    const events = await eventually(async () => {
      const seen = await eventsOf(transactionid);
      expect(seen).toHaveLength(2);
      return seen;
    });
    expect(events.map(({ type }) => type)).toEqual(["payment.initiated", "payment.completed"]);
    expect(events[1]?.data).toEqual({
      transactionid,
      checkoutrequestid,
      amount: 100,
      phone,
      momoreceiptnumber: done["momoreceiptnumber"],
      referenceid: "order-1042",
      status: "completed",
      reason: null,
    });
  });

  it.each([
    [{ phone: "0712345678" }, "Invalid phone number format"],
    [{ phone: "+254712345678" }, "Invalid phone number format"],
    [{ phone: 254712345678 }, "Invalid phone number format"],
    [{ amount: 9 }, "amount must be at least 10"],
    [{ amount: 150_001 }, "amount must be at most 150000"],
    [{ amount: 10.5 }, "amount must be a whole number"],
    [{ amount: 10.555 }, "amount must be a whole number"],
    [{ amount: "100" }, "amount must be a number"],
    [{ channel: "card" }, "channel must be one of: momo"],
    [{ channel: undefined }, "channel must be one of: momo"],
  ])("answers 400 with the interface's text to %j", async (wrong, error) => {
    const { status, body } = await api("POST", path, order(nextPhone(), wrong));
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { success: false, error, code: "invalid_request" },
    });
  });

  it("answers 422 with the provider's refusal, and replays that answer for the same key", async () => {
    const key = { "idempotency-key": "refused-1" };
    const sent = order("254700100001");
    const { status, body, text } = await api("POST", path, sent, key);
    expect({ status, body }).toMatchObject({
      status: 422,
      body: {
        error: "provider request failed",
        details: "insufficient balance (code 1)",
        code: "provider_refused",
      },
    });
    const again = await api("POST", path, sent, key);
    expect(again.text).toBe(text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(promptsOf("254700100001")).toHaveLength(0);
  });

  it("answers 502 when nothing was sent, and the same key sends it once later", async () => {
    const key = { "idempotency-key": "spike-1" };
    const phone = nextPhone();
    simulator.change({ phones: { [phone]: "254700100102" } });
    const refused = await api("POST", path, order(phone), key);
    expect(refused).toMatchObject({
      status: 502,
      body: { error: "provider request failed", code: "provider_unreachable" },
    });
    simulator.change({ phones: {} });
    const sent = await api("POST", path, order(phone), key);
    expect(sent.status).toBe(200);
    expect(promptsOf(phone)).toHaveLength(1);
    expect((await waitForOutcome(dataOf(sent)["transactionid"]))["status"]).toBe("completed");
  });

  it("answers 504 with the transaction when the outcome is unknown, and never sends it again", async () => {
    const key = { "idempotency-key": "lost-1" };
    const phone = nextPhone();
    simulator.change({ phones: { [phone]: "254700100205" }, timing: { outcomeMs: 1_500 } });
    const unknown = await api("POST", path, order(phone), key);
    expect(unknown).toMatchObject({ status: 504, body: { code: "outcome_unknown" } });
    const { transactionid } = unknown.body;
    expect(await transaction(transactionid)).toMatchObject({ status: "pending" });
    const again = await api("POST", path, order(phone), key);
    expect(again).toMatchObject({ status: 504, body: { transactionid } });
    expect(promptsOf(phone)).toHaveLength(1);
    simulator.change({ phones: {}, timing: { outcomeMs: 20 } });
  });

  it("prompts once for concurrent requests with one key, and replays the answer byte for byte", async () => {
    const phone = nextPhone();
    const key = { "idempotency-key": "same-1" };
    const sent = order(phone);
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => api("POST", path, sent, key)),
    );
    const succeeded = answers.filter(({ status }) => status === 200);
    expect(succeeded.length).toBeGreaterThan(0);
    expect(new Set(succeeded.map(({ text }) => text)).size).toBe(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(promptsOf(phone)).toHaveLength(1);
    const other = await api("POST", path, { ...sent, amount: 200 }, key);
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  });

  it("answers 409 while the phone has an open prompt", async () => {
    const phone = nextPhone();
    simulator.change({ timing: { outcomeMs: 1_000 } });
    const first = await api("POST", path, order(phone));
    expect(await api("POST", path, order(phone))).toMatchObject({
      status: 409,
      body: { code: "phone_busy" },
    });
    simulator.change({ timing: { outcomeMs: 20 } });
    await waitForOutcome(dataOf(first)["transactionid"]);
    await eventually(async () => expect((await api("POST", path, order(phone))).status).toBe(200));
  });

  it.each([
    ["254700000001", "failed", "insufficient_funds"],
    ["254700001032", "cancelled", "cancelled_by_payer"],
    ["254700001037", "failed", "unreachable"],
    ["254700002001", "failed", "wrong_pin"],
    ["254700100512", "failed", "misconfigured"],
    ["254700100514", "failed", "other"],
  ])("a payment of phone %s ends as %s with reason %s", async (phone, status, reason) => {
    const { transactionid } = dataOf(await api("POST", path, order(phone)));
    expect(await waitForOutcome(transactionid)).toMatchObject({
      status,
      reason,
      momoreceiptnumber: null,
    });
    await eventually(async () => {
      const events = await eventsOf(transactionid);
      expect(events.map(({ type }) => type)).toEqual(["payment.initiated", "payment.failed"]);
      expect(events[1]?.data).toMatchObject({ status, reason });
    });
  });

  it("answers 404 for a transaction of another business and for an unknown link", async () => {
    const { transactionid } = dataOf(await api("POST", path, order()));
    const stranger = await makeBusiness(system.gateway());
    const url = `${system.gateway().apiUrl}/business/transaction/details/${String(transactionid)}`;
    expect((await call(url, "GET", stranger.secret)).status).toBe(404);
    const someId = "507f1f77bcf86cd799439011";
    expect(await api("POST", path, order(undefined, { paymentlinkid: someId }))).toMatchObject({
      status: 404,
      body: { error: "Payment link not found" },
    });
    const both = { paymentlinkid: someId, invoiceid: someId };
    expect((await api("POST", path, order(undefined, both))).status).toBe(400);
  });
});

describe("receipts", () => {
  it("are numbered without gaps, one for each payment, when payments follow each other", async () => {
    const stranger = await makeBusiness(system.gateway());
    const { apiUrl } = system.gateway();
    const ask = async (method: string, at: string, body?: unknown) =>
      call(apiUrl + at, method, stranger.secret, body);
    const numbers: unknown[] = [];
    for (const count of [1, 2, 3]) {
      const { transactionid } = dataOf(await ask("POST", path, order()));
      const list = `/business/receipt/list?transactionid=${String(transactionid)}`;
      const receipt = await eventually(async () => {
        const { data } = (await ask("GET", list)).body as { data: Record<string, unknown>[] };
        expect(data).toHaveLength(1);
        return data[0] ?? {};
      });
      numbers.push(receipt["receiptno"]);
      expect(receipt).toMatchObject({ transactionid, amount: 100, invoiceid: null });
      expect(receipt["url"]).toMatch(new RegExp(`^${apiUrl}/r/[\\w-]{22}$`));
      const details = await ask("GET", `/business/receipt/details/${String(receipt["_id"])}`);
      expect(dataOf(details)).toEqual(receipt);
      expect(count).toBe(numbers.length);
    }
    expect(numbers).toEqual(["RCT-000001", "RCT-000002", "RCT-000003"]);
  });
});

describe("the list of transactions", () => {
  it("filters by status, phone, search text and date, and pages", async () => {
    const { businessid: _id, ...stranger } = await makeBusiness(system.gateway());
    const { apiUrl } = system.gateway();
    const list = async (query: string) => {
      const answer = await call(
        `${apiUrl}/business/transaction/list?${query}`,
        "GET",
        stranger.secret,
      );
      expect(answer.status).toBe(200);
      return (answer.body["data"] as { _id: string }[]).map((each) => each._id);
    };
    const make = async (phone: string, referenceid: string) => {
      const answer = await call(
        apiUrl + path,
        "POST",
        stranger.secret,
        order(phone, { referenceid }),
      );
      return String(dataOf(answer)["transactionid"]);
    };
    const paid = await make("254722334455", "harambee ya shule");
    const failed = await make("254700000003", "other");
    await eventually(async () => expect(await list("status=pending")).toEqual([]));
    expect(await list("")).toEqual([failed, paid]);
    expect(await list("status=completed")).toEqual([paid]);
    expect(await list("status=failed")).toEqual([failed]);
    expect(await list("phone=4455")).toEqual([paid]);
    expect(await list("phone=254722334455")).toEqual([paid]);
    expect(await list("phone=9999")).toEqual([]);
    expect(await list("search=SHULE")).toEqual([paid]);
    expect(await list("from=2020-01-01&to=2020-12-31")).toEqual([]);
    expect(await list("from=2020-01-01")).toEqual([failed, paid]);
    expect(await list("limit=1&page=2")).toEqual([paid]);
    const wrong = `${apiUrl}/business/transaction/list?status=odd`;
    expect((await call(wrong, "GET", stranger.secret)).status).toBe(400);
  });
});

describe("a payment link of the business", () => {
  it("takes one payment of its fixed amount, and is then paid", async () => {
    const created = await api("POST", "/business/payment-link/create", {
      title: "Harambee",
      amount: 500,
      referenceid: "harambee-7",
    });
    expect(created.status).toBe(201);
    const link = dataOf(created);
    expect(link).toMatchObject({ status: "active", amount: 500, reusable: false });
    expect(link["shorturl"]).toMatch(/\/p\/p[a-z2-9]{9}$/);
    const details = `/business/payment-link/details/${idIn(created)}`;
    const less = await api("POST", path, order(undefined, { paymentlinkid: idIn(created) }));
    expect(less).toMatchObject({
      status: 409,
      body: { error: "It must be paid in full: at least 500" },
    });
    simulator.change({ timing: { outcomeMs: 800 } });
    const first = await api(
      "POST",
      path,
      order(undefined, { amount: 500, paymentlinkid: idIn(created) }),
    );
    expect(first.status).toBe(200);
    const second = await api(
      "POST",
      path,
      order(undefined, { amount: 500, paymentlinkid: idIn(created) }),
    );
    expect(second).toMatchObject({ status: 409, body: { code: "conflict" } });
    simulator.change({ timing: { outcomeMs: 20 } });
    await eventually(async () =>
      expect(dataOf(await api("GET", details))).toMatchObject({ status: "paid" }),
    );
    const done = await transaction(dataOf(first)["transactionid"]);
    expect(done).toMatchObject({ paymentlinkid: idIn(created), referenceid: "harambee-7" });
    expect(
      await api("POST", path, order(undefined, { amount: 500, paymentlinkid: idIn(created) })),
    ).toMatchObject({ status: 409, body: { error: "Payment link is paid" } });
  });
});

describe("payment methods", () => {
  const till = {
    type: "till",
    shortcode: "5500980",
    storenumber: "600980",
    consumerkey: "sandbox-till-key",
    consumersecret: "sandbox-till-secret",
    passkey: "bfb279f9aa9bdbcf158e97dd71a467cd2e0c893059b10f78e6b72ada1ed2c919",
  };

  it("are stored without showing secrets, tested, and used for payments", async () => {
    const stranger = await makeBusiness(system.gateway());
    const { apiUrl } = system.gateway();
    const ask = async (method: string, at: string, body?: unknown) =>
      call(apiUrl + at, method, stranger.secret, body);
    const created = await ask("POST", "/business/payment-method/create", till);
    expect(created.status).toBe(201);
    expect(dataOf(created)).toMatchObject({ type: "till", shortcode: "5500980", default: true });
    expect(created.text).not.toMatch(/secret|bfb279/);
    const id = idIn(created);
    expect((await ask("POST", `/business/payment-method/test/${id}`)).status).toBe(200);

    const phone = nextPhone();
    const { transactionid } = dataOf(await ask("POST", path, order(phone)));
    await eventually(async () => {
      const at = `/business/transaction/details/${String(transactionid)}`;
      expect(dataOf(await ask("GET", at))["status"]).toBe("completed");
    });

    const wrong = await ask("PATCH", `/business/payment-method/update/${id}`, {
      consumersecret: "wrong",
    });
    expect(wrong.status).toBe(200);
    expect(await ask("POST", `/business/payment-method/test/${id}`)).toMatchObject({
      status: 422,
      body: { code: "provider_refused" },
    });
    expect(await ask("POST", path, order())).toMatchObject({ status: 422 });
    expect((await ask("POST", `/business/payment-method/delete/${id}`)).status).toBe(200);
    expect((await ask("GET", `/business/payment-method/details/${id}`)).status).toBe(404);
    // The sandbox's own account is used again.
    expect((await ask("POST", path, order())).status).toBe(200);
  });

  it("are refused with a ready-made password as passkey", async () => {
    const passkey = Buffer.from("174379abc20261121101010").toString("base64");
    const paybill = { ...till, type: "paybill", shortcode: "174379", passkey };
    expect(await api("POST", "/business/payment-method/create", paybill)).toMatchObject({
      status: 400,
      body: { fields: [{ path: "passkey" }] },
    });
  });
});
