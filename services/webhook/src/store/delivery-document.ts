import { addMs } from "@malipo/core";
import { type AnyBulkWriteOperation, ObjectId, type UpdateFilter } from "mongodb";
import type {
  Attempt,
  AttemptResult,
  Delivery,
  DueDelivery,
  NewDelivery,
  Outcome,
  UnstoredDelivery,
} from "../domain/delivery.ts";
import { retentionMs } from "../domain/public-event.ts";

/** The last attempts of a delivery that are kept. */
const logMax = 50;

export interface DeliveryDocument extends Omit<
  Delivery,
  "id" | "businessid" | "endpointid" | "dueat" | "failedat"
> {
  readonly _id: ObjectId;
  readonly businessid: ObjectId;
  readonly endpointid: ObjectId;
  /** Present only while the delivery waits. */
  readonly dueat?: Date;
  readonly failedat?: Date;
  readonly operations?: readonly string[];
  readonly expiresat: Date;
}

export function documentOf(delivery: NewDelivery): DeliveryDocument {
  return {
    ...constantFieldsOf(delivery),
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

/** The document that an insert followed by the outcome of the first attempt would leave. */
export function attemptedDocumentOf({
  delivery,
  attempt,
  outcome: { dueat, failedat, status, tries, problem },
}: AttemptResult<UnstoredDelivery>): DeliveryDocument {
  return {
    ...constantFieldsOf(delivery),
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

function constantFieldsOf(delivery: NewDelivery) {
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
    expiresat: addMs(delivery.createdat, retentionMs),
  };
}

/** The fields that `dueDeliveryFrom` reads. */
export const dueFields = {
  endpointid: 1,
  eventid: 1,
  type: 1,
  resourceid: 1,
  sequence: 1,
  body: 1,
  tries: 1,
  version: 1,
  traceparent: 1,
} as const;

export function dueDeliveryFrom(document: DeliveryDocument): DueDelivery {
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
    ...dueDeliveryFrom(document),
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

/** Stores an outcome, if the delivery still has the version that was read. */
export function outcomeWrite({
  delivery,
  attempt,
  outcome,
}: AttemptResult): AnyBulkWriteOperation<DeliveryDocument> {
  const { dueat, failedat, ...fields } = outcome;
  return {
    updateOne: {
      filter: { _id: new ObjectId(delivery.id), version: delivery.version },
      update: {
        ...addingAttempt(attempt),
        $set: {
          ...fields,
          ...(dueat && { dueat }),
          ...(failedat && { failedat }),
          version: delivery.version + 1,
          updatedat: attempt.at,
        },
        ...unsettingDates({ dueat, failedat }),
      },
    },
  };
}

/** Two partial indexes need these fields to be absent when they have no value. */
function unsettingDates({ dueat, failedat }: Pick<Outcome, "dueat" | "failedat">) {
  if (dueat && failedat) return {};
  const unset: { dueat?: true; failedat?: true } = {};
  if (!dueat) unset.dueat = true;
  if (!failedat) unset.failedat = true;
  return { $unset: unset };
}

export function addingAttempt(attempt: Attempt) {
  return {
    $push: { log: { $each: [attempt], $slice: -logMax } },
    $inc: { attempts: 1 },
  };
}

/** Makes a delivery due at `dueat` with all its tries. One that is due before that stays so. */
export function resending(dueat: Date, now: Date) {
  return {
    $set: {
      status: "pending",
      tries: 0,
      updatedat: now,
      expiresat: addMs(now, retentionMs),
    },
    $min: { dueat },
    $unset: { failedat: true },
    $inc: { version: 1 },
  } as const satisfies UpdateFilter<DeliveryDocument>;
}
