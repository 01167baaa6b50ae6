import type { EventEnvelope, EventType } from "@malipo/contracts";
import { newId } from "@malipo/platform";

export type TestEvent = EventEnvelope<EventType>;

/** A payment's event as the stream carries it, with internal fields that receivers must not see. */
export function paymentEvent(businessid: string, own: Partial<TestEvent> = {}): TestEvent {
  const recordid = own.recordid ?? newId();
  return {
    id: `evt_${newId()}`,
    type: "payment.completed",
    seq: 2,
    businessid,
    recordid,
    at: new Date().toISOString(),
    data: {
      transactionid: recordid,
      checkoutrequestid: "ws_CO_191220191020363925",
      amount: 1500.5,
      phone: "254712345678",
      momoreceiptnumber: "NLJ7RT61SV",
      referenceid: null,
      status: "completed",
      reason: null,
    },
    inside: { invoiceid: null, subscriptionid: null, customerid: newId(), paymentlinkid: null },
    ...own,
  };
}
