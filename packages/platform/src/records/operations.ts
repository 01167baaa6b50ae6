import type { Document } from "mongodb";
import type { Cause } from "../outbox/index.ts";

/** How many of its newest operations a record remembers. */
const operationsMax = 20;

/** One record for one operation, however often the operation is repeated. */
export const createdByIndex = {
  key: { businessid: 1, createdby: 1 },
  name: "createdby",
  unique: true,
  partialFilterExpression: { createdby: { $exists: true } },
} as const;

/** The field by which a new record remembers the operation that created it. */
export function createdBy({ operationid }: Cause): Document {
  return operationid === undefined ? {} : { createdby: operationid };
}

/** The part of an update by which a record remembers the operation that changed it. */
export function operationPush({ operationid }: Cause): Document {
  if (operationid === undefined) return {};
  return { operations: { $each: [operationid], $slice: -operationsMax } };
}

export function isApplied(operations: readonly string[], { operationid }: Cause): boolean {
  return operationid !== undefined && operations.includes(operationid);
}
