import { addMs, hourMs } from "@malipo/core";
import {
  type ApiAnswer,
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  publishEvents,
  useSystem,
} from "@malipo/testing";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { paymentEvent } from "./payment-event.ts";
import { type Received, startReceiver } from "./receiver.ts";

const system = useSystem(["invoice", "webhook"]);
const { api } = system;
const soon = 10_000;

type Ask = (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;

/** A business for one test. */
async function newBusiness(): Promise<{ businessid: string; ask: Ask }> {
  const { businessid, secret } = await makeBusiness(system.gateway());
  const ask: Ask = (method, path, body) =>
    call(system.gateway().apiUrl + path, method, secret, body);
  return { businessid, ask };
}

async function createWebhook(ask: Ask, body: object): Promise<{ id: string; secret: string }> {
  const created = await ask("POST", "/business/webhook/create", body);
  expect(created.status).toBe(201);
  return { id: idIn(created), secret: String(dataOf(created)["secret"]) };
}

function verify(secret: string, { body, headers }: Received): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

function listIn({ body }: ApiAnswer): readonly Record<string, unknown>[] {
  return body["data"] as readonly Record<string, unknown>[];
}

describe("a webhook", () => {
  it("is created, listed, shown, changed and deleted, and shows its secret only at creation", async () => {
    const { ask } = await newBusiness();
    const created = await ask("POST", "/business/webhook/create", {
      url: "https://example.com/hook",
      events: ["invoice.paid", "payment.completed", "invoice.paid"],
      description: "books",
    });
    const { secret, ...shown } = dataOf(created);
    expect(secret).toMatch(/^whsec_/);
    expect(shown).toMatchObject({
      url: "https://example.com/hook",
      events: ["invoice.paid", "payment.completed"],
      description: "books",
      enabled: true,
      disabledat: null,
      disabledreason: null,
      failingsince: null,
    });
    const id = idIn(created);
    expect(dataOf(await ask("GET", `/business/webhook/details/${id}`))).toEqual(shown);
    expect(listIn(await ask("GET", "/business/webhook/list"))).toEqual([shown]);
    const changed = await ask("PATCH", `/business/webhook/update/${id}`, {
      events: ["*", "invoice.paid"],
      description: null,
      enabled: false,
    });
    expect(dataOf(changed)).toMatchObject({
      events: ["*"],
      description: null,
      enabled: false,
      disabledreason: "You disabled it",
    });
    const database = system.database("webhook");
    const kept = JSON.stringify(await database.collection("endpoints").find().toArray());
    expect(kept).not.toContain(String(secret));
    expect((await ask("POST", `/business/webhook/delete/${id}`)).status).toBe(200);
    expect((await ask("GET", `/business/webhook/details/${id}`)).status).toBe(404);
    expect((await ask("POST", `/business/webhook/delete/${id}`)).status).toBe(404);
    expect(listIn(await ask("GET", "/business/webhook/list"))).toEqual([]);
  });

  it.each([
    [{}, "url is required"],
    [{ url: "example.com" }, "url must be an address that begins with https:// or http://"],
    [{ url: "ftp://example.com/" }, "url must be an address that begins with https:// or http://"],
    [{ url: "https://me@example.com/" }, "url must not contain a user or a password"],
    [{ url: "https://example.com/#x" }, "url must not contain a fragment"],
    [
      { url: `https://example.com/${"x".repeat(2_000)}` },
      "url must be at most 2000 characters long",
    ],
    [{ url: "http://10.0.0.1/" }, "url names an address that is not public"],
    [{ url: "http://0xa9fea9fe/latest" }, "url names an address that is not public"],
    [{ url: "http://[::ffff:169.254.169.254]/" }, "url names an address that is not public"],
    [{ url: "https://example.com/", events: [] }, "events must be at least 1 entries"],
    [{ url: "https://example.com/", events: ["product.created"] }, "events.0 must be one of: *, "],
  ])("is refused with the body %o", async (body, problem) => {
    const refused = await api("POST", "/business/webhook/create", body);
    expect(refused.status).toBe(400);
    expect(String(refused.body["error"]).startsWith(problem)).toBe(true);
  });

  it("refuses a private address on a change", async () => {
    const { ask } = await newBusiness();
    const { id } = await createWebhook(ask, { url: "https://example.com/" });
    const update = `/business/webhook/update/${id}`;
    expect((await ask("PATCH", update, { url: "http://192.168.1.1/" })).status).toBe(400);
    expect((await ask("PATCH", update, { backlog: "drop" })).body["error"]).toBe(
      "backlog goes with enabled: true",
    );
  });

  it("is one of at most twenty, even when 25 are created at once", async () => {
    const { ask } = await newBusiness();
    const created = await Promise.all(
      Array.from({ length: 25 }, () =>
        ask("POST", "/business/webhook/create", { url: "https://example.com/" }),
      ),
    );
    const statuses = created.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    const one = created.find(({ status }) => status === 201);
    if (!one) throw new Error("none was created");
    await ask("POST", `/business/webhook/delete/${idIn(one)}`);
    await createWebhook(ask, { url: "https://example.com/" });
  });

  it("is created once under one Idempotency-Key, with one secret", async () => {
    const key = { "idempotency-key": "webhook-once" };
    const body = { url: "https://example.com/once" };
    const [one, two] = [
      await api("POST", "/business/webhook/create", body, key),
      await api("POST", "/business/webhook/create", body, key),
    ];
    expect(two.text).toBe(one.text);
  });

  it("is hidden from other businesses, with its deliveries and cursors", async () => {
    const [owner, other] = [await newBusiness(), await newBusiness()];
    const receiver = await startReceiver();
    const { id } = await createWebhook(owner.ask, { url: receiver.url });
    const tested = await owner.ask("POST", `/business/webhook/test/${id}`);
    const delivery = idIn(tested);
    const feed = await owner.ask("GET", "/business/event/list");
    const { cursor } = feed.body["meta"] as { cursor: string };
    const asked: [string, string, unknown?][] = [
      ["GET", `/business/webhook/details/${id}`],
      ["PATCH", `/business/webhook/update/${id}`, { description: "mine now" }],
      ["POST", `/business/webhook/rotate-secret/${id}`],
      ["POST", `/business/webhook/delete/${id}`],
      ["POST", `/business/webhook/test/${id}`],
      ["GET", `/business/webhook/deliveries/${id}`],
      ["POST", `/business/webhook/resend-failed/${id}`, {}],
      ["GET", `/business/webhook/delivery/${delivery}`],
      ["POST", `/business/webhook/resend/${delivery}`],
    ];
    for (const [method, path, body] of asked) {
      expect({ path, status: (await other.ask(method, path, body)).status }).toEqual({
        path,
        status: 404,
      });
    }
    expect(listIn(await other.ask("GET", "/business/webhook/list"))).toEqual([]);
    const stolen = await other.ask("GET", `/business/event/list?cursor=${cursor}`);
    expect(stolen).toMatchObject({ status: 400 });
  });
});

describe("a rotated secret", () => {
  it("verifies deliveries together with the old one", async () => {
    const { businessid, ask } = await newBusiness();
    const receiver = await startReceiver();
    const { id, secret } = await createWebhook(ask, { url: receiver.url });
    const rotated = await ask("POST", `/business/webhook/rotate-secret/${id}`);
    const fresh = String(dataOf(rotated)["secret"]);
    expect(fresh).not.toBe(secret);
    await publishEvents(system.servers, [paymentEvent(businessid)]);
    const [received] = await eventually(() => {
      expect(receiver.received).toHaveLength(1);
      return receiver.received;
    }, soon);
    if (!received) throw new Error("nothing received");
    for (const each of [secret, fresh]) verify(each, received);
  });
});

describe("the deliveries of a webhook", () => {
  it("show all attempts, can be filtered, and are sent again by a resend", async () => {
    const { businessid, ask } = await newBusiness();
    const receiver = await startReceiver((_, response) => response.writeHead(500).end("sorry"));
    const { id, secret } = await createWebhook(ask, { url: receiver.url });
    const tested = dataOf(await ask("POST", `/business/webhook/test/${id}`));
    expect(tested).toMatchObject({ type: "webhook.test", status: "pending", webhookid: id });
    const path = `/business/webhook/delivery/${String(tested["_id"])}`;
    await eventually(async () => {
      expect(dataOf(await ask("GET", path))).toMatchObject({
        status: "pending",
        attempts: 1,
        lastproblem: "answered 500",
        nextattemptat: expect.any(String),
        log: [{ status: 500, problem: "answered 500", response: "sorry" }],
        body: { type: "webhook.test", data: { webhookid: id } },
      });
    }, soon);
    const [first] = receiver.received;
    if (first) verify(secret, first);
    const failedAt = new Date(String(dataOf(await ask("GET", path))["updatedat"]));
    const resendFailed = async (since: Date) =>
      dataOf(await ask("POST", `/business/webhook/resend-failed/${id}`, { since }));
    expect(await resendFailed(addMs(failedAt, hourMs))).toEqual({ resent: 0, more: false });
    expect(await resendFailed(addMs(failedAt, -hourMs))).toEqual({ resent: 1, more: false });
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(1), soon);
    receiver.answer(200);
    const sendAgain = `/business/webhook/resend/${String(tested["_id"])}`;
    await ask("POST", sendAgain);
    await eventually(async () => {
      const { status, attempts } = dataOf(await ask("GET", path));
      expect({ status, attempts }).toEqual({
        status: "delivered",
        attempts: receiver.received.length,
      });
    }, soon);
    const before = receiver.received.length;
    await ask("POST", sendAgain);
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(before), soon);
    expect([...receiver.ids]).toEqual([first?.id]);

    const event = paymentEvent(businessid);
    await publishEvents(system.servers, [event]);
    await eventually(() => expect(receiver.ids).toContain(event.id), soon);
    const deliveries = `/business/webhook/deliveries/${id}`;
    const types = async (query: string) =>
      listIn(await ask("GET", `${deliveries}?${query}`)).map(({ type }) => type);
    await eventually(async () =>
      expect(await types("status=delivered")).toEqual(["payment.completed", "webhook.test"]),
    );
    expect(await types("type=webhook.test")).toEqual(["webhook.test"]);
    expect(await types("status=failed")).toEqual([]);
    expect((await ask("GET", `${deliveries}?status=lost`)).status).toBe(400);
  });

  it("wait while it is disabled, and are sent when it is enabled", async () => {
    const { businessid, ask } = await newBusiness();
    const receiver = await startReceiver();
    const { id } = await createWebhook(ask, { url: receiver.url });
    const update = `/business/webhook/update/${id}`;
    await ask("PATCH", update, { enabled: false });
    await publishEvents(system.servers, [paymentEvent(businessid), paymentEvent(businessid)]);
    await eventually(async () => {
      const waiting = await ask("GET", `/business/webhook/deliveries/${id}?status=pending`);
      expect(listIn(waiting)).toHaveLength(2);
    }, soon);
    expect(await ask("POST", `/business/webhook/test/${id}`)).toMatchObject({ status: 409 });
    expect(receiver.received).toEqual([]);
    await ask("PATCH", update, { enabled: true });
    await eventually(() => expect(receiver.received).toHaveLength(2), soon);
  });

  it("are dropped when it is enabled with backlog: drop", async () => {
    const { businessid, ask } = await newBusiness();
    const receiver = await startReceiver();
    const { id } = await createWebhook(ask, { url: receiver.url, enabled: false });
    const update = `/business/webhook/update/${id}`;
    const withStatus = async (status: string) =>
      listIn(await ask("GET", `/business/webhook/deliveries/${id}?status=${status}`));
    await publishEvents(system.servers, [paymentEvent(businessid), paymentEvent(businessid)]);
    await eventually(async () => expect(await withStatus("pending")).toHaveLength(2), soon);
    await ask("PATCH", update, { enabled: true, backlog: "drop" });
    await eventually(async () => expect(await withStatus("dropped")).toHaveLength(2), soon);
    const event = paymentEvent(businessid);
    await publishEvents(system.servers, [event]);
    await eventually(() => expect(receiver.received.map(({ id }) => id)).toEqual([event.id]), soon);
  });

  it("continue for a suspended business", async () => {
    const { businessid, ask } = await newBusiness();
    const receiver = await startReceiver();
    await createWebhook(ask, { url: receiver.url });
    await system.operator("POST", `/operator/business/suspend/${businessid}`);
    expect((await ask("GET", "/business/webhook/list")).status).toBe(403);
    await publishEvents(system.servers, [paymentEvent(businessid)]);
    await eventually(() => expect(receiver.received).toHaveLength(1), soon);
  });
});

describe("tests of a webhook", () => {
  it("are all accepted with a free key, and sent although they wait for their turn", async () => {
    const { secret } = await makeBusiness(system.gateway(), { plan: "free" });
    const ask: Ask = (method, path, body) =>
      call(system.gateway().apiUrl + path, method, secret, body);
    const receiver = await startReceiver();
    const { id } = await createWebhook(ask, { url: receiver.url });
    const tested = await Promise.all(
      Array.from({ length: 60 }, () => ask("POST", `/business/webhook/test/${id}`)),
    );
    expect(new Set(tested.map(({ status }) => status))).toEqual(new Set([200]));
    // More than may be sent at once: when each is sent is tested with a fixed clock.
    await eventually(() => expect(receiver.ids.size).toBeGreaterThan(20), soon);
  });
});

describe("the event feed", () => {
  it("is read by cursor to its end, and continues from there", async () => {
    const { businessid, ask } = await newBusiness();
    const sent = Array.from({ length: 7 }, (_, seq) => paymentEvent(businessid, { seq }));
    const newest = await ask("GET", "/business/event/list?from=newest");
    expect(newest.body).toMatchObject({ data: [], meta: { more: false } });
    await publishEvents(system.servers, sent);
    const read = async (query: string) => {
      const { body } = await ask("GET", `/business/event/list?${query}`);
      return body as {
        data: { eventid: string }[];
        meta: { cursor: string; more: boolean };
      };
    };
    await eventually(async () => expect((await read("limit=100")).data).toHaveLength(7), soon);
    const first = await read("limit=3");
    expect(first.meta.more).toBe(true);
    expect(first.data[0]).toEqual({
      eventid: sent[0]?.id,
      type: "payment.completed",
      resourceid: sent[0]?.recordid,
      sequence: 0,
      createdat: sent[0]?.at,
      body: {
        id: sent[0]?.id,
        type: "payment.completed",
        created: sent[0]?.at,
        data: sent[0]?.data,
      },
    });
    const second = await read(`limit=3&cursor=${first.meta.cursor}`);
    const third = await read(`limit=3&cursor=${second.meta.cursor}`);
    const ids = [first, second, third].flatMap(({ data }) => data.map(({ eventid }) => eventid));
    expect(ids).toEqual(sent.map(({ id }) => id));
    expect(third.meta.more).toBe(false);
    const late = paymentEvent(businessid);
    await publishEvents(system.servers, [late]);
    await eventually(async () => {
      const later = await read(`cursor=${third.meta.cursor}`);
      expect(later.data.map(({ eventid }) => eventid)).toEqual([late.id]);
    }, soon);
    const { cursor } = (newest.body as { meta: { cursor: string } }).meta;
    expect((await read(`limit=100&cursor=${cursor}`)).data).toHaveLength(8);
    expect(await ask("GET", "/business/event/list?cursor=nonsense")).toMatchObject({
      status: 400,
      body: { error: "cursor is not one of this list; begin again without one" },
    });
  });

  it("has no rate limit, and neither have webhooks", async () => {
    const { secret } = await makeBusiness(system.gateway(), { plan: "free" });
    for (let times = 0; times < 20; times += 1) {
      for (const path of ["/business/event/list", "/business/webhook/list"]) {
        expect((await call(system.gateway().apiUrl + path, "GET", secret)).status).toBe(200);
      }
    }
  });
});

describe("a delivered event", () => {
  it("has the documented body and a signature that the reference library verifies", async () => {
    const { businessid, ask } = await newBusiness();
    const receiver = await startReceiver();
    const { secret } = await createWebhook(ask, { url: receiver.url });
    const event = paymentEvent(businessid);
    await publishEvents(system.servers, [event]);
    const [received] = await eventually(() => {
      expect(receiver.received).toHaveLength(1);
      return receiver.received;
    }, soon);
    if (!received) throw new Error("nothing received");
    expect(verify(secret, received)).toEqual({
      id: event.id,
      type: "payment.completed",
      created: event.at,
      data: event.data,
    });
    expect(received.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": event.id,
      "webhook-resource": event.recordid,
      "webhook-sequence": "2",
    });
    expect(received.body).not.toContain("customerid");
  });

  it("of an invoice has the shape of invoice events, from the API to the receiver", async () => {
    const { ask } = await newBusiness();
    const receiver = await startReceiver();
    const { secret } = await createWebhook(ask, { url: receiver.url, events: ["invoice.created"] });
    const customerid = idIn(await ask("POST", "/business/customer/create", { name: "Asha" }));
    const itemid = idIn(
      await ask("POST", "/business/product/create", { title: "Sukari", price: 200 }),
    );
    const invoice = await ask("POST", "/business/invoice/create", {
      customerid,
      items: [{ itemid, quantity: 2, rate: 200 }],
      duedate: "2030-01-31",
    });
    const [received] = await eventually(() => {
      expect(receiver.received).toHaveLength(1);
      return receiver.received;
    }, soon);
    if (!received) throw new Error("nothing received");
    expect(verify(secret, received)).toEqual({
      event: "invoice.created",
      timestamp: expect.any(String),
      data: expect.objectContaining({ _id: idIn(invoice), status: "unpaid", balance: 400 }),
    });
    expect(received.headers).toMatchObject({
      "webhook-resource": idIn(invoice),
      "webhook-sequence": "1",
    });
  });
});
