import type { EventOf, InvoiceStatus, ServiceName } from "@malipo/contracts";
import { addMs, cents, type Clock, secondMs } from "@malipo/core";
import { newId, openService, readConfig, type Service } from "@malipo/platform";
import { environmentOn, type SharedServers } from "@malipo/testing";
import { subscriptionConfig } from "../src/config.ts";
import type { Deps } from "../src/deps.ts";
import {
  startSubscription,
  type SubscriptionTerms,
} from "../src/domain/lifecycle/new-subscription.ts";
import type { OpenInvoice } from "../src/domain/lifecycle/open-invoices.ts";
import type { Subscription } from "../src/domain/lifecycle/subscription.ts";
import { openDeps } from "../src/service.ts";

const environment = (servers: SharedServers) => ({
  ...environmentOn(servers),
  PROMPT_HOURS: "0-24",
});

/** The connections of a service. The caller begins their shutdown. */
export async function connectAs(
  name: ServiceName,
  servers: SharedServers,
  clock: Clock,
): Promise<Service> {
  const config = readConfig(subscriptionConfig, environment(servers));
  return openService(name, config, { clock, random: Math.random });
}

/** The subscription service without its consumers, so that a test decides when events arrive. */
export async function openSubscriptionService(servers: SharedServers, clock: Clock): Promise<Deps> {
  const config = readConfig(subscriptionConfig, environment(servers));
  return openDeps(await connectAs("subscription", servers, clock), config);
}

/** Stores a subscription as the API would. */
export async function addSubscription(
  { subscriptions, service, hours }: Deps,
  businessid: string,
  own: Partial<SubscriptionTerms> = {},
): Promise<Subscription> {
  const now = service.clock();
  const [id, itemid] = [newId(), newId()];
  const ids = { id, subscriptionno: `SUB-${id}`, code: `S${id}` };
  const terms: SubscriptionTerms = {
    customerid: newId(),
    items: [{ itemid, title: "Internet", quantity: 1, rate: cents(1_000) }],
    billingcycle: "weekly",
    autorenew: true,
    planid: null,
    trial: null,
    enddate: null,
    remark: null,
    ...own,
  };
  const started = startSubscription(businessid, ids, terms, { now, duedays: 3, hours });
  return subscriptions.insert(started.entity, started.events, { now });
}

export function businessEvent(
  businessid: string,
  type: "business.created" | "business.suspended" | "business.resumed",
  seq: number,
  at: Date,
): EventOf<"business.*"> {
  const settings = {
    displayname: "Duka",
    feepercent: 0,
    feefixed: 0,
    duedays: 7,
    duedaysweekly: 3,
    partpayment: false,
  };
  const status = type === "business.suspended" ? "suspended" : "active";
  const dates = { createdat: at.toISOString(), updatedat: at.toISOString() };
  const data = {
    _id: businessid,
    name: "Duka",
    plan: "free",
    limits: null,
    status,
    settings,
    ...dates,
  };
  const ids = { id: `evt_${newId()}`, seq, businessid, recordid: businessid };
  return { ...ids, type, at: at.toISOString(), data, inside: undefined } as EventOf<"business.*">;
}

/** The event of a change of an invoice. */
export function invoiceEvent(
  { id: subscriptionid, businessid }: Pick<Subscription, "id" | "businessid">,
  { why, of, duedate }: Pick<OpenInvoice, "why" | "of" | "duedate">,
  own: {
    readonly invoiceid: string;
    readonly status: InvoiceStatus;
    readonly seq: number;
    readonly at: Date;
  },
): EventOf<"invoice.*"> {
  const { invoiceid, status, seq, at } = own;
  const link = { _id: invoiceid, code: "I000000000" };
  const issuedfor = { subscriptionid, why, of };
  return {
    id: `evt_${newId()}`,
    type: status === "paid" ? "invoice.paid" : "invoice.updated",
    seq,
    businessid,
    recordid: invoiceid,
    at: at.toISOString(),
    data: {
      _id: invoiceid,
      invoiceno: "INV-000001",
      status,
      balance: status === "paid" ? 0 : 10,
      customer: { _id: newId(), name: "Asha" },
      duedate: duedate.toISOString(),
    },
    inside: { title: "Internet", total: 10, paylink: link, issuedfor, createdat: at.toISOString() },
  };
}

/** The event of the outcome of a payment. */
export function paymentEvent(
  { id: subscriptionid, businessid }: Pick<Subscription, "id" | "businessid">,
  own: {
    readonly invoiceid: string;
    readonly transactionid: string;
    readonly status: "completed" | "failed";
    readonly reason?: string;
    readonly at: Date;
  },
): EventOf<"payment.*"> {
  const { invoiceid, transactionid, status, reason = null, at } = own;
  return {
    id: `evt_${newId()}`,
    type: `payment.${status}`,
    seq: 2,
    businessid,
    recordid: transactionid,
    at: at.toISOString(),
    data: {
      transactionid,
      checkoutrequestid: null,
      amount: 10,
      phone: "254712345678",
      momoreceiptnumber: null,
      referenceid: null,
      status,
      reason,
    },
    inside: { invoiceid, subscriptionid, customerid: null, paymentlinkid: null },
  };
}

/** A request as `serveRoutes` passes it to a handler. */
export function requestFor(
  { id, businessid }: Pick<Subscription, "id" | "businessid">,
  now: Date,
  operationid?: string,
) {
  return {
    businessid,
    params: { id },
    query: undefined as never,
    body: {} as never,
    languages: "",
    cause: { now, operationid },
    deadline: addMs(now, 5 * secondMs),
  };
}
