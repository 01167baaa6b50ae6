import type { DeliveryDetails, DeliveryStatus, DeliveryView } from "@malipo/contracts";
import { cutToJsonBytes } from "@malipo/core";
import { eventBody, type PublicEvent } from "./public-event.ts";
import { type AfterFailure, nextAttemptAt } from "./retry-schedule.ts";

/** One event on its way to one endpoint. */
export interface Delivery {
  readonly id: string;
  readonly businessid: string;
  readonly endpointid: string;
  readonly eventid: string;
  readonly type: string;
  readonly resourceid: string;
  readonly sequence: number;
  readonly body: string;
  readonly status: DeliveryStatus;
  /** Time of the next attempt; null when there will be none. */
  readonly dueat: Date | null;
  /** Failed attempts in the current retry schedule; a resend starts a new schedule. */
  readonly tries: number;
  /** All attempts, of all schedules. */
  readonly attempts: number;
  readonly problem: string | null;
  /** Time of the last failure that no success followed. */
  readonly failedat: Date | null;
  /** Rises with every change: an outcome is stored only on the version that was read. */
  readonly version: number;
  /** The trace of the event. */
  readonly traceparent?: string;
  readonly log: readonly Attempt[];
  readonly createdat: Date;
  readonly updatedat: Date;
}

export interface Attempt {
  readonly id: string;
  readonly at: Date;
  readonly milliseconds: number;
  readonly status: number | null;
  readonly problem: string | null;
  readonly response: string | null;
}

/** A delivery with no attempt yet. */
export type NewDelivery = Omit<
  Delivery,
  "status" | "tries" | "attempts" | "problem" | "failedat" | "version" | "log" | "updatedat"
> & { readonly dueat: Date };

/** The part of a delivery that an attempt needs. */
export type DueDelivery = Omit<
  Delivery,
  | "businessid"
  | "status"
  | "dueat"
  | "attempts"
  | "problem"
  | "failedat"
  | "log"
  | "createdat"
  | "updatedat"
>;

/** A delivery whose first attempt is made before it is stored: both are stored together. */
export type UnstoredDelivery = NewDelivery & Pick<Delivery, "tries" | "version">;

/** The newest 50 attempts of a delivery are shown together, and must fit into one answer. */
const responseJsonMaxBytes = 16 * 1_024;

/** The part of a receiver's answer that is stored and shown. */
export function cutResponse(response: string | null): string | null {
  return response === null ? null : cutToJsonBytes(response, responseJsonMaxBytes);
}

export interface AttemptResult<Tried extends DueDelivery = DueDelivery> {
  readonly delivery: Tried;
  readonly attempt: Attempt;
  readonly outcome: Outcome;
}

/** The result of one request to a receiver. */
export interface Answer {
  readonly status: number | null;
  /** Why the request failed; null after a success. */
  readonly problem: string | null;
  readonly response: string | null;
  readonly retryAfterMs?: number | undefined;
  /** This service cancelled the request, so the answer says nothing about the receiver. */
  readonly isInterrupted?: true;
}

/** How an attempt changes its delivery. */
export interface Outcome {
  readonly status: DeliveryStatus;
  readonly tries: number;
  readonly dueat: Date | null;
  readonly problem: string | null;
  readonly failedat: Date | null;
}

export function newDelivery(
  id: string,
  event: PublicEvent,
  endpointid: string,
  { now, traceparent }: { readonly now: Date; readonly traceparent: string | undefined },
): NewDelivery {
  return {
    id,
    businessid: event.businessid,
    endpointid,
    eventid: event.id,
    type: event.type,
    resourceid: event.resourceid,
    sequence: event.sequence,
    body: event.body,
    dueat: now,
    createdat: now,
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** An event about the endpoint itself, so that its owner sees whether the receiver gets events. */
export function testDelivery(
  id: string,
  endpoint: { readonly id: string; readonly businessid: string },
  eventid: string,
  { now, dueat }: { readonly now: Date; readonly dueat: Date },
): NewDelivery {
  const type = "webhook.test";
  return {
    id,
    businessid: endpoint.businessid,
    endpointid: endpoint.id,
    eventid,
    type,
    resourceid: endpoint.id,
    sequence: 1,
    body: eventBody({ id: eventid, type, at: now.toISOString(), data: { webhookid: endpoint.id } }),
    dueat,
    createdat: now,
  };
}

/** The state of a stored delivery without attempts. */
export function unstored(delivery: NewDelivery): UnstoredDelivery {
  return { ...delivery, tries: 0, version: 1 };
}

/** The outcome of an attempt that was not interrupted. */
export function outcomeOf(
  { tries }: Pick<Delivery, "tries">,
  problem: string | null,
  now: Date,
  failure: AfterFailure,
): Outcome {
  if (problem === null) {
    return { status: "delivered", tries, dueat: null, problem: null, failedat: null };
  }
  const failed = { tries: tries + 1, problem, failedat: now };
  const dueat = nextAttemptAt(failed.tries, now, failure);
  return { ...failed, dueat, status: dueat === null ? "failed" : "pending" };
}

/** An attempt that this service cancelled uses up no try. */
export function interruptedOutcome(
  { tries }: Pick<Delivery, "tries">,
  problem: string | null,
  now: Date,
): Outcome {
  return { status: "pending", tries, dueat: now, problem, failedat: null };
}

export function viewDelivery(delivery: Omit<Delivery, "body" | "log">): DeliveryView {
  const { dueat, updatedat } = delivery;
  return {
    _id: delivery.id,
    webhookid: delivery.endpointid,
    eventid: delivery.eventid,
    type: delivery.type,
    resourceid: delivery.resourceid,
    sequence: delivery.sequence,
    status: delivery.status,
    attempts: delivery.attempts,
    lastproblem: delivery.problem,
    // Deliveries with priority are stored as due since 1970.
    nextattemptat: dueat && (dueat > updatedat ? dueat : updatedat).toISOString(),
    createdat: delivery.createdat.toISOString(),
    updatedat: updatedat.toISOString(),
  };
}

export function viewDeliveryDetails(delivery: Delivery): DeliveryDetails {
  return {
    ...viewDelivery(delivery),
    body: JSON.parse(delivery.body),
    log: delivery.log.map(({ at, milliseconds, status, problem, response }) => ({
      at: at.toISOString(),
      milliseconds,
      status,
      problem,
      // Earlier releases stored answers by their size before JSON.
      response: cutResponse(response),
    })),
  };
}
