import type { EventEnvelope } from "@malipo/contracts";
import { ObjectId } from "mongodb";
import { call, idIn, makeBusiness, type Publisher } from "@malipo/testing/without-vitest";
import type { Run } from "../path.ts";
import type { LocalSystem } from "../product-details/local-system.ts";
import type { Outcome } from "../report.ts";
import type { Receiver } from "./receiver.ts";

/** The running system that each part of the measurement uses. */
export type WebhookBench = {
  readonly run: Run;
  readonly system: LocalSystem;
  readonly receiver: Receiver;
  readonly publisher: Publisher;
  readonly webhookPid: number;
};

export type Table = Outcome["tables"][number];

/** Creates a business with that many webhooks to one path of the receiver. */
export async function createBusiness(
  { system: { environment }, receiver }: WebhookBench,
  path: string,
  count: number,
): Promise<{ businessid: string; webhookids: readonly string[] }> {
  const { businessid, secret } = await makeBusiness({
    operatorUrl: environment.operatorurl,
    operatorToken: environment.operatortoken,
  });
  const create = `${environment.apiurl}/business/webhook/create`;
  const body = { url: receiver.url + path };
  const webhookids: string[] = [];
  for (let created = 0; created < count; created += 1) {
    webhookids.push(idIn(await call(create, "POST", secret, body)));
  }
  return { businessid, webhookids };
}

export function paymentEvent(businessid: string): EventEnvelope {
  const recordid = new ObjectId().toHexString();
  const data = {
    transactionid: recordid,
    checkoutrequestid: "ws_CO_191220191020363925",
    amount: 1_500,
    phone: "254712345678",
    momoreceiptnumber: "NLJ7RT61SV",
    referenceid: "order-2026-11",
    status: "completed",
    reason: null,
  };
  return {
    id: `evt_${new ObjectId().toHexString()}`,
    type: "payment.completed",
    seq: 2,
    businessid,
    recordid,
    at: new Date().toISOString(),
    data,
    inside: { invoiceid: null, subscriptionid: null, customerid: null, paymentlinkid: null },
  };
}

export function bodyOf({ id, type, at, data }: EventEnvelope): string {
  return JSON.stringify({ id, type, created: at, data });
}
