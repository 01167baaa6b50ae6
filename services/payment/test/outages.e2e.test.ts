import {
  call,
  dataOf,
  eventually,
  makeBusiness,
  readEvents,
  startNatsServer,
  startSimulator,
  startSystem,
  type TestServer,
  type TestSystem,
  useSharedServers,
} from "@malipo/testing";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDelayedProvider } from "./delayed-provider.ts";

const recoveryMs = 20_000;
const shared = useSharedServers();
// The simulator reports no outcome within ten minutes. The tests send the callbacks themselves.
const simulator = await startSimulator({ settings: { timing: { outcomeMs: 600_000 } } });
const provider = await startDelayedProvider(simulator.url);
const store = new MongoClient(shared.mongodbUri);
const database = (service: string) => store.db(`${shared.namespace}_${service}`);

let nats: TestServer;
let system: TestSystem;
let secret: string;

beforeAll(async () => {
  nats = await startNatsServer();
  const servers = { ...shared, natsUrl: nats.url };
  system = await startSystem(servers, ["payment"], {
    env: { MPESA_BASE_URL: provider.url },
    ownProcess: ["gateway", "payment"],
  });
  ({ secret } = await makeBusiness(system));
});
afterAll(async () => {
  await system.stop();
  await Promise.all([nats.stop(), store.close()]);
});

const request = async (phone: string, key: string) =>
  call(
    `${system.apiUrl}/business/payments/mobile/request`,
    "POST",
    secret,
    { amount: 100, phone, channel: "momo" },
    { "idempotency-key": key },
  );
const promptsOf = (phone: string) => simulator.prompts().filter((each) => each.phone === phone);
const statesOf = async (phone: string) =>
  (await database("payment").collection("transactions").find({ phone }).toArray()).map(
    ({ state }) => state,
  );
const eventsOf = async (id: string) => {
  const events = await readEvents({ ...shared, natsUrl: nats.url });
  return events.filter(({ recordid }) => recordid === id).map(({ type }) => type);
};

function service(name: string) {
  const found = system.services[name];
  if (!found) throw new Error(`${name} does not run`);
  return found;
}

/** Sends the callback of a paid prompt to its callback address. */
async function sendPaidCallback(phone: string, receipt: string) {
  const [prompt] = promptsOf(phone);
  if (!prompt) throw new Error(`no prompt for ${phone}`);
  const Item = [
    { Name: "Amount", Value: 100 },
    { Name: "MpesaReceiptNumber", Value: receipt },
    { Name: "TransactionDate", Value: 20_261_121_120_000 },
    { Name: "PhoneNumber", Value: Number(phone) },
  ];
  const stkCallback = {
    MerchantRequestID: prompt.merchantrequestid,
    CheckoutRequestID: prompt.checkoutrequestid,
    ResultCode: 0,
    ResultDesc: "The service request is processed successfully.",
    CallbackMetadata: { Item },
  };
  const body = JSON.stringify({ Body: { stkCallback } });
  return (await fetch(prompt.callbackurl, { method: "POST", body })).status;
}

describe("a pause of the payment service while a phone rings", () => {
  it("leads to one prompt when the gateway dies and the client repeats its key", async () => {
    const phone = "254715000001";
    const answerNow = provider.delayAnswers();
    const first = request(phone, "paused").catch(() => null);
    await eventually(() => expect(promptsOf(phone)).toHaveLength(1));
    service("payment").pause();
    expect(await statesOf(phone)).toEqual(["calling"]);
    await service("gateway").kill();
    expect(await first).toBeNull();
    await service("gateway").start();
    // The lease of the dead gateway on the key expires.
    const keys = database("gateway").collection("idempotencykeys");
    await keys.updateMany({}, { $set: { leaseuntil: new Date(0) } });
    const again = request(phone, "paused");
    service("payment").resume();
    const [{ _id: id } = { _id: "none" }] = await database("payment")
      .collection("transactions")
      .find({ phone })
      .toArray();
    expect(await again).toMatchObject({ status: 504, body: { transactionid: String(id) } });
    answerNow();
    await eventually(async () => {
      const answer = await request(phone, "paused");
      expect([answer.status, dataOf(answer)["transactionid"]]).toEqual([200, String(id)]);
    });
    expect(promptsOf(phone)).toHaveLength(1);
    expect(await statesOf(phone)).toEqual(["prompted"]);
    expect(await sendPaidCallback(phone, "UKL0000001")).toBe(200);
    await eventually(async () =>
      expect(await eventsOf(String(id))).toEqual(["payment.initiated", "payment.completed"]),
    );
  });
});

describe("a callback while NATS is down", () => {
  it("is answered with 503 until it is on the stream, and is then applied", async () => {
    const phone = "254715000002";
    const answer = await request(phone, "nats-down");
    const id = String(dataOf(answer)["transactionid"]);
    await nats.stop();
    expect(await sendPaidCallback(phone, "UKL0000002")).toBe(503);
    expect(await statesOf(phone)).toEqual(["prompted"]);
    await nats.start();
    await eventually(
      async () => expect(await sendPaidCallback(phone, "UKL0000002")).toBe(200),
      recoveryMs,
    );
    await eventually(
      async () => expect(await eventsOf(id)).toEqual(["payment.initiated", "payment.completed"]),
      recoveryMs,
    );
    expect(await statesOf(phone)).toEqual(["completed"]);
  });
});
