import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { stdout } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { call, idIn, makeBusiness, useSystem } from "@malipo/testing";
import { ObjectId } from "mongodb";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";

const system = useSystem(["invoice", "webhook"], { ownProcess: ["gateway", "invoice", "webhook"] });

/** Requests of the modest business in each phase, one at a time. */
const samples = Number(process.env["FAIR_SAMPLES"] ?? 300);
const betweenMs = 20;
/** The greedy business has 50 requests under way where the modest one has one. */
const greedyClients = 50;
const customersOfGreedy = 8_000;
const longInvoices = 200;
/** What a page or a list may take longer than twice its calm time, on any machine. */
const slackMs = 50;

type Business = Awaited<ReturnType<typeof makeBusiness>>;
let greedy: Business;
let modest: Business;
/** The invoices' pages of each business: 200 items each for the greedy one, and one for the other. */
let greedyPdfs: readonly string[];
let modestPdfs: readonly string[];
let greedyWebhooks: readonly string[];
let modestWebhook: string;

const url = (path: string) => system.gateway().apiUrl + path;
const as = async ({ secret }: Business, method: string, path: string, body?: unknown) =>
  call(url(path), method, secret, body);

beforeAll(async () => {
  [greedy, modest] = [await makeBusiness(system.gateway()), await makeBusiness(system.gateway())];
  greedyPdfs = await makeInvoices(greedy, longInvoices, 200);
  modestPdfs = await makeInvoices(modest, 2 * samples, 1);
  await multiplyCustomers(greedy);
  const receiver = await startReceiver();
  const makeWebhook = async (owner: Business) =>
    idIn(await as(owner, "POST", "/business/webhook/create", { url: receiver, events: ["*"] }));
  greedyWebhooks = await Promise.all(Array.from({ length: 20 }, () => makeWebhook(greedy)));
  modestWebhook = await makeWebhook(modest);
}, 300_000);

async function makeInvoices(owner: Business, count: number, items: number): Promise<string[]> {
  const customerid = idIn(await as(owner, "POST", "/business/customer/create", { name: "Asha" }));
  const body = { title: "Unga", price: 100 };
  const itemid = idIn(await as(owner, "POST", "/business/product/create", body));
  const item = { itemid, quantity: 1, rate: 100 };
  const draft = {
    customerid,
    duedate: "2030-01-31",
    items: Array.from({ length: items }, () => item),
  };
  for (let made = 0; made < count; made += 20) {
    const batch = Array.from({ length: Math.min(20, count - made) }, async () =>
      as(owner, "POST", "/business/invoice/create", draft),
    );
    for (const { status } of await Promise.all(batch)) expect(status).toBe(201);
  }
  const invoices = system.database("invoice").collection("invoices");
  const found = await invoices.find({ businessid: new ObjectId(owner.businessid) }).toArray();
  return found.map(({ code }) => url(`/i/${String(code)}.pdf`));
}

/** Gives the business so many customers that its lists are as dear as they can be. */
async function multiplyCustomers({ businessid }: Business): Promise<void> {
  const customers = system.database("invoice").collection("customers");
  const one = await customers.findOne({ businessid: new ObjectId(businessid) });
  const copies = Array.from({ length: customersOfGreedy }, () => {
    const _id = new ObjectId();
    // Each record was created by an operation of its own.
    return { ...one, _id, createdby: String(_id) };
  });
  await customers.insertMany(copies);
}

/** A receiver of webhooks that takes everything. */
async function startReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => response.end());
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface Greed {
  readonly method: string;
  readonly urls: readonly string[];
}

/** Floods the system from a process of its own. Answers the counts of its statuses. */
async function startGreedy(load: Greed): Promise<() => Promise<unknown>> {
  const all = { ...load, secret: greedy.secret, clients: greedyClients };
  const child = fork(new URL("./greedy-client.ts", import.meta.url), [JSON.stringify(all)]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await pause(1_000);
  return async () => {
    child.send("count");
    const [counts] = await once(child, "message");
    child.kill("SIGKILL");
    return counts;
  };
}

type Send = (index: number) => Promise<number>;

async function measure(send: Send, from: number) {
  const tookMs: number[] = [];
  const statuses: Record<number, number> = {};
  for (let index = from; index < from + samples; index += 1) {
    const sentMs = performance.now();
    const status = await send(index);
    tookMs.push(performance.now() - sentMs);
    statuses[status] = (statuses[status] ?? 0) + 1;
    await pause(betweenMs);
  }
  const sorted = tookMs.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (samples - 1))] ?? Number.NaN);
  return { p50: at(0.5), p99: at(0.99), statuses };
}

/** The business with few requests, calm and beside the greedy one. */
async function expectFair(name: string, send: Send, greed: () => Greed): Promise<void> {
  for (let index = 0; index < 20; index += 1) await send(index);
  const calm = await measure(send, 0);
  const stopGreedy = await startGreedy(greed());
  const beside = await measure(send, samples);
  const counts = await stopGreedy();
  stdout.write(`${JSON.stringify({ name, calm, beside, greedy: counts })}\n`);
  expect(Object.keys(beside.statuses)).toEqual(["200"]);
  expect(beside.p99).toBeLessThanOrEqual(Math.max(2 * calm.p99, calm.p99 + slackMs));
}

const get =
  (path: string): Send =>
  async () =>
    (await as(modest, "GET", path)).status;

const testModestWebhook: Send = async () =>
  (await as(modest, "POST", `/business/webhook/test/${modestWebhook}`)).status;

/** Visitors come from many addresses, or the gateway's limit of an address would end the test. */
const fetchModestPdf: Send = async (index) => {
  const headers = { "x-forwarded-for": `198.51.100.${index % 250}` };
  return (await fetch(modestPdfs[index] ?? "", { headers })).status;
};

const listGreed = (path: string) => () => ({ method: "GET", urls: [url(path)] });
const customerList = "/business/customer/list?limit=100&search=asha";
const eventList = "/business/event/list?limit=100";
const pdfGreed = () => ({ method: "GET", urls: greedyPdfs });
const testGreed = () => ({
  method: "POST",
  urls: greedyWebhooks.map((id) => url(`/business/webhook/test/${id}`)),
});

describe("beside a greedy business, another business keeps its", () => {
  it("PDFs", async () => {
    await expectFair("PDF beside PDFs", fetchModestPdf, pdfGreed);
  });

  it("lists while PDFs are drawn", async () => {
    const send = get("/business/customer/list");
    await expectFair("list beside PDFs", send, pdfGreed);
  });

  it("searches", async () => {
    await expectFair("search beside searches", get(customerList), listGreed(customerList));
  });

  it("details while lists are counted", async () => {
    const id = idIn(await as(modest, "POST", "/business/customer/create", { name: "Brian" }));
    const list = "/business/customer/list?limit=100&page=70";
    await expectFair(
      "details beside lists",
      get(`/business/customer/details/${id}`),
      listGreed(list),
    );
  });

  it("event feed", async () => {
    await expectFair("feed beside feeds", get(eventList), listGreed(eventList));
  });

  it("tests of webhooks", async () => {
    await expectFair("test beside tests", testModestWebhook, testGreed);
  });

  it("webhooks' lists while tests are sent", async () => {
    await expectFair("webhook list beside tests", get("/business/webhook/list"), testGreed);
  });
});
