import { addMs } from "@malipo/core";
import { type AnyBulkWriteOperation, ObjectId, type UpdateFilter } from "mongodb";
import type { Attempt, Delivery, Outcome } from "../domain/delivery.ts";
import { keptMs } from "./event-log.ts";

const logMax = 50;

export interface DeliveryDocument extends Omit<
  Delivery,
  "id" | "businessid" | "endpointid" | "dueat" | "failedat"
> {
  readonly _id: ObjectId;
  readonly businessid: ObjectId;
  readonly endpointid: ObjectId;
  /** Only of those that wait. */
  readonly dueat?: Date;
  readonly failedat?: Date;
  readonly operations?: readonly string[];
  readonly expiresat: Date;
}

export type NewDelivery = Omit<
  Delivery,
  "status" | "tries" | "attempts" | "problem" | "failedat" | "version" | "log" | "updatedat"
> & { readonly dueat: Date };

/** What a worker needs to know of a delivery. */
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

export interface AttemptResult<Tried extends DueDelivery = DueDelivery> {
  readonly delivery: Tried;
  readonly attempt: Attempt;
  readonly outcome: Outcome;
}

/** One that is tried before it is written down: its first attempt comes into the store with it. */
export type UnwrittenDelivery = NewDelivery & Pick<Delivery, "tries" | "version">;

export function unwritten(delivery: NewDelivery): UnwrittenDelivery {
  return { ...delivery, tries: 0, version: 1 };
}

export function documentOf(delivery: NewDelivery): DeliveryDocument {
  return {
    ...unchangingOf(delivery),
    dueat: delivery.dueat,
    status: "pending",
    tries: 0,
    attempts: 0,
    problem: null,
    version: 1,
    log: [],
    updatedat: delivery.createdat,
  };
}

/** As it would be had it been written first, and then what its first attempt made of it. */
export function attemptedDocumentOf({
  delivery,
  attempt,
  outcome: { dueat, failedat, status, tries, problem },
}: AttemptResult<UnwrittenDelivery>): DeliveryDocument {
  return {
    ...unchangingOf(delivery),
    ...(dueat && { dueat }),
    ...(failedat && { failedat }),
    status,
    tries,
    attempts: 1,
    problem,
    version: delivery.version + 1,
    log: [attempt],
    updatedat: attempt.at,
  };
}

function unchangingOf(delivery: NewDelivery) {
  return {
    _id: new ObjectId(delivery.id),
    businessid: new ObjectId(delivery.businessid),
    endpointid: new ObjectId(delivery.endpointid),
    eventid: delivery.eventid,
    type: delivery.type,
    resourceid: delivery.resourceid,
    sequence: delivery.sequence,
    body: delivery.body,
    ...(delivery.traceparent !== undefined && { traceparent: delivery.traceparent }),
    createdat: delivery.createdat,
    expiresat: addMs(delivery.createdat, keptMs),
  };
}

export function dueFrom(document: DeliveryDocument): DueDelivery {
  return {
    id: String(document._id),
    endpointid: String(document.endpointid),
    eventid: document.eventid,
    type: document.type,
    resourceid: document.resourceid,
    sequence: document.sequence,
    body: document.body,
    tries: document.tries,
    version: document.version,
    ...(document.traceparent !== undefined && { traceparent: document.traceparent }),
  };
}

export function deliveryFrom(document: DeliveryDocument): Delivery {
  return {
    ...dueFrom(document),
    businessid: String(document.businessid),
    status: document.status,
    dueat: document.dueat ?? null,
    attempts: document.attempts,
    problem: document.problem,
    failedat: document.failedat ?? null,
    log: document.log,
    createdat: document.createdat,
    updatedat: document.updatedat,
  };
}

export function outcomeWrite({
  delivery,
  attempt,
  outcome,
}: AttemptResult): AnyBulkWriteOperation<DeliveryDocument> {
  const { dueat, failedat, ...fields } = outcome;
  const noted = noting(attempt);
  return {
    updateOne: {
      filter: { _id: new ObjectId(delivery.id), version: delivery.version },
      update: {
        ...noted,
        $set: {
          ...fields,
          ...(dueat && { dueat }),
          ...(failedat && { failedat }),
          version: delivery.version + 1,
          updatedat: attempt.at,
        },
        ...unsetting({ dueat, failedat }),
      },
    },
  };
}

/** What does not hold any more must not be there at all: two indexes live by that. */
function unsetting({ dueat, failedat }: Pick<Outcome, "dueat" | "failedat">) {
  if (dueat && failedat) return {};
  const unset: { dueat?: true; failedat?: true } = {};
  if (!dueat) unset.dueat = true;
  if (!failedat) unset.failedat = true;
  return { $unset: unset };
}

export function noting(attempt: Attempt) {
  return {
    $push: { log: { $each: [attempt], $slice: -logMax } },
    $inc: { attempts: 1 },
  };
}

/** Due at a moment, with all its tries. */
export function sendingAgain(dueat: Date, now: Date) {
  return {
    $set: { status: "pending", dueat, tries: 0, updatedat: now, expiresat: addMs(now, keptMs) },
    $unset: { failedat: true },
    $inc: { version: 1 },
  } as const satisfies UpdateFilter<DeliveryDocument>;
}
