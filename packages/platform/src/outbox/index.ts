export {
  type Cause,
  type EventfulCollection,
  type EventfulDocument,
  type EventFields,
  type EventState,
  noEvents,
  type StoredEvent,
  withoutEvents,
} from "./event-document.ts";
export { openOutbox, type Outbox, type OutboxUpdate } from "./outbox.ts";
export {
  type PendingReconciliation,
  reconciliationFields,
  reconciliationOf,
  storedReconciliation,
} from "./pending-reconciliation.ts";
export { NotOnStream } from "./publish-events.ts";
export { resendEvents } from "./resend.ts";
export { countUnpublishedRecords, positionIndex } from "./stored-outbox.ts";
