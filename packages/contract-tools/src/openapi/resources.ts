/** The description of each resource in the reference. A resource is the second word of a public path. */
export const resources: Readonly<Record<string, string>> = {
  customer: "The people and companies that a business bills.",
  "payment-link":
    "Addresses where anybody can pay: with a fixed amount or any, once or again and again, or what an invoice still asks for.",
  "payment-method": "How a business takes money: its paybill or till with M-Pesa.",
  payments: "Asking a phone to pay.",
  product: "What a business sells; the lines of invoices and subscriptions name products.",
  invoice:
    "What a customer is asked to pay, from creation to paid; each has a pay link and a QR code.",
  webhook:
    "Addresses of yours to which events are sent, signed by the Standard Webhooks specification. An answer of 2xx within 15 seconds takes an event; otherwise it is tried again over three days. Events may come twice and in any order: webhook-id names an event, webhook-resource and webhook-sequence tell new from old.",
  event:
    "Everything that happened, in order and with a cursor: for whoever was away, or would rather ask than be called.",
  receipt: "What payers get for their money, numbered.",
  subscription:
    "What a customer is billed for again and again: in cycles of fixed length, by itself or as an offer to renew.",
  "subscription-plan": "What subscriptions are made from: items, a cycle, and days of trial.",
  settings:
    "What a business decides for itself: the name its customers see, when invoices fall due, and whether they may be paid in parts.",
  tax: "Rates that an invoice may carry, such as VAT; applied after the discount.",
  transaction: "Payments, with what became of them.",
};
