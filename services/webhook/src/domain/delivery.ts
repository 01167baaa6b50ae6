import { hash } from "node:crypto";
import type { DeliveryDetails, DeliveryStatus, DeliveryView } from "@malipo/contracts";
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
  /** When it is tried next; null when it is not. */
  readonly dueat: Date | null;
  /** Failed attempts of its present schedule; a resend begins a new one. */
  readonly tries: number;
  /** All attempts there ever were. */
  readonly attempts: number;
  readonly problem: string | null;
  /** Of its last failure that no success came after. */
  readonly failedat: Date | null;
  /** Grows with every change: an outcome fits only what was read. */
  readonly version: number;
  /** The trace in which it came about. */
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

/**
 * The natural key of a delivery: however often an event comes, an endpoint has one record of it. It
 * begins with the event's second and the end of its count, so that an index has those of one time
 * side by side, and a write changes few of its pages.
 */
export function deliveryIdOf(eventid: string, endpointid: string): string {
  const key = hash("sha256", `${endpointid} ${eventid}`);
  const [, second, count] = /^evt_([0-9a-f]{8})[0-9a-f]{14}([0-9a-f]{2})$/.exec(eventid) ?? [];
  if (second === undefined || count === undefined) return key.slice(0, 24);
  return second + count + key.slice(0, 14);
}

/** What a delivery becomes by an attempt. */
export interface Outcome {
  readonly status: DeliveryStatus;
  readonly tries: number;
  readonly dueat: Date | null;
  readonly problem: string | null;
  readonly failedat: Date | null;
}

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

/** What we broke off ourselves counts against nobody. */
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
    // What is to go first is due since ever.
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
      response,
    })),
  };
}
