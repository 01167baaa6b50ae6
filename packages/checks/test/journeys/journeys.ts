import type { ServiceName } from "@malipo/contracts";
import { minuteMs, secondMs } from "@malipo/core";
import {
  type ApiAnswer,
  eventually,
  idIn,
  type FrozenClock,
  type UsedSystem,
} from "@malipo/testing";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type Document, ObjectId } from "mongodb";

/** One way through the system, from the first message to the last effect. */
export interface Journey {
  /** The heading of its list in docs/architecture.md. */
  readonly title: string;
  readonly services: readonly ServiceName[];
  /** Makes the records that the journey needs; resolves to the journey itself. */
  prepare(system: UsedSystem, clock: FrozenClock): Promise<() => Promise<void>>;
}

const timeoutMs = 30_000;

/** All jobs have had their slot of this minute, and the next slot of any job is 14 seconds away. */
export const clockStart = new Date(Math.floor(Date.now() / minuteMs) * minuteMs + secondMs);
const trialMs = 10 * secondMs;

const customerOf = async ({ api }: UsedSystem): Promise<string> =>
  idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
const productOf = async ({ api }: UsedSystem): Promise<string> =>
  idIn(await api("POST", "/business/product/create", { title: "Unga", price: 100 }));

async function assertSuccess(answer: Promise<ApiAnswer>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`answered ${status}: ${text}`);
}

const create: Journey = {
  title: "A create",
  services: ["gateway", "invoice"],
  prepare: async (system) => {
    const items = [{ itemid: await productOf(system), quantity: 2, rate: 100 }];
    const invoice = { customerid: await customerOf(system), duedate: "2099-12-31", items };
    return async () => {
      const path = "/business/invoice/create";
      await assertSuccess(system.api("POST", path, invoice, { "idempotency-key": "one" }));
    };
  },
};

const billingRun: Journey = {
  title: "A billing run",
  services: ["scheduler", "subscription", "invoice"],
  prepare: async (system, clock) => {
    const created = await system.api("POST", "/business/subscription/create", {
      customerid: await customerOf(system),
      items: [{ itemid: await productOf(system), quantity: 1, rate: 250 }],
      trial: { enddate: new Date(clock.now().getTime() + trialMs).toISOString() },
    });
    const subscriptionid = idIn(created);
    return async () => {
      // Only the job that processes due subscriptions has a slot every 15 seconds.
      clock.advance(15 * secondMs);
      await waitForDocument(system, "invoice", "invoices", {
        "issuedfor.subscriptionid": subscriptionid,
      });
    };
  },
};

const payment: Journey = {
  title: "A payment",
  services: ["gateway", "payment", "invoice"],
  prepare: async (system) => {
    const items = [{ itemid: await productOf(system), quantity: 1, rate: 150 }];
    const invoice = { customerid: await customerOf(system), duedate: "2099-12-31", items };
    const invoiceid = idIn(await system.api("POST", "/business/invoice/create", invoice));
    const request = { amount: 150, phone: "254700000000", channel: "momo", invoiceid };
    return async () => {
      await assertSuccess(system.api("POST", "/business/payments/mobile/request", request));
      await waitForDocument(system, "payment", "receipts", { invoiceid });
      await waitForDocument(system, "invoice", "invoices", {
        _id: new ObjectId(invoiceid),
        status: "paid",
      });
    };
  },
};

export const journeys: readonly Journey[] = [create, billingRun, payment];

/** Reads the database directly: an answer of the API would add its files to the journey. */
async function waitForDocument(
  system: UsedSystem,
  service: string,
  collection: string,
  filter: Document,
): Promise<void> {
  await eventually(
    async () => (await system.database(service).collection(collection).countDocuments(filter)) > 0,
    timeoutMs,
  );
}

const quietMs = 500;

/** Resolves when every published event has been handled, and no event has come for half a second. */
export async function waitForEvents({ servers }: UsedSystem): Promise<void> {
  const nats = await connect({ servers: servers.natsUrl });
  try {
    const manager = await jetstreamManager(nats);
    let last = { sequence: -1, since: performance.now() };
    await eventually(async () => {
      let waiting = 0;
      let sequence = 0;
      for await (const stream of manager.streams.list()) {
        if (!stream.config.name.startsWith(servers.namespace)) continue;
        sequence += stream.state.last_seq;
        for await (const { num_pending, num_ack_pending } of manager.consumers.list(
          stream.config.name,
        ))
          waiting += num_pending + num_ack_pending;
      }
      if (sequence !== last.sequence) last = { sequence, since: performance.now() };
      return waiting === 0 && performance.now() - last.since > quietMs;
    }, timeoutMs);
  } finally {
    await nats.close();
  }
}
