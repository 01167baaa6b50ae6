import { publicEventTypes } from "@malipo/contracts";
import { eventually, type UsedSystem } from "@malipo/testing";
import { type Document, ObjectId } from "mongodb";
import { copy, created, pageSize, type Paths, wide } from "./copies.ts";

const endpointsMax = 20;
const attemptsMax = 50;

export async function createWebhooks(system: UsedSystem): Promise<Paths> {
  const { api } = system;
  const url = `http://127.0.0.1:9/${wide(1_900)}`;
  const webhook = await created(
    api("POST", "/business/webhook/create", {
      url,
      events: publicEventTypes,
      description: wide(2_000),
    }),
  );
  const id = String(webhook["_id"]);
  const delivery = await created(api("POST", `/business/webhook/test/${id}`));
  const attempt = {
    id: String(new ObjectId()),
    at: new Date(),
    milliseconds: 15_000,
    status: 500,
    problem: wide(300),
    // JSON writes each of these bytes with six.
    response: "\u0001".repeat(16 * 1_024),
  };
  const log = Array.from({ length: attemptsMax }, () => attempt);
  // The worker must not change it any more.
  await eventually(async () => {
    const tried = await created(
      api("GET", `/business/webhook/delivery/${String(delivery["_id"])}`),
    );
    if (tried["attempts"] === 0) throw new Error("no attempt yet");
  });
  await copy(system, ["webhook", "deliveries"], delivery["_id"], {
    change: { log, problem: wide(300), body: JSON.stringify({ data: wide(5_000) }) },
    fieldsOf: () => ({ log: [] }),
  });
  await copy(system, ["webhook", "endpoints"], id, {
    change: { disabledreason: wide(300) },
    fieldsOf: (index) => ({ slot: 100 + index }),
    count: endpointsMax,
  });
  await addEvents(system);
  return {
    listWebhooks: `/business/webhook/list?limit=${pageSize}`,
    getWebhook: `/business/webhook/details/${id}`,
    listDeliveries: `/business/webhook/deliveries/${id}?limit=${pageSize}`,
    getDelivery: `/business/webhook/delivery/${String(delivery["_id"])}`,
    listEvents: `/business/event/list?limit=${pageSize}`,
  };
}

async function addEvents(system: UsedSystem): Promise<void> {
  const entries = system.database("webhook").collection<Document & { _id: number }>("eventlog");
  const [newest] = await eventually(async () => {
    const found = await entries.find().sort({ _id: -1 }).limit(1).toArray();
    if (found.length === 0) throw new Error("no event yet");
    return found;
  });
  const after = newest?._id ?? 0;
  await entries.insertMany(
    Array.from({ length: pageSize }, (_, index) => ({
      ...newest,
      _id: after + index + 1,
      eventid: `evt_copy${index}`,
      body: JSON.stringify({ data: wide(5_000) }),
    })),
  );
}
