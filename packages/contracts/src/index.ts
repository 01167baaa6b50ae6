export * from "./billing.ts";
export * from "./business.ts";
export * from "./call.ts";
export * from "./callback.ts";
export * from "./calls.ts";
export * from "./customer.ts";
export * from "./dead-letter.ts";
export * from "./event.ts";
export * from "./event-feed.ts";
export * from "./events.ts";
export * from "./failure.ts";
export * from "./fields.ts";
export * from "./health.ts";
export * from "./invoice-pages.ts";
export * from "./invoice.ts";
export * from "./invoice-calls.ts";
export * from "./invoice-events.ts";
export { discounttypes, type InvoiceStatus, invoiceStatuses } from "./invoice-fields.ts";
export * from "./key.ts";
export * from "./openapi/document.ts";
export type * from "./openapi/types.ts";
export * from "./order.ts";
export * from "./nats-config.ts";
export * from "./nats-permissions.ts";
export * from "./page.ts";
export * from "./parked.ts";
export * from "./payment.ts";
export * from "./payment-link.ts";
export * from "./payment-method.ts";
export * from "./payment-pages.ts";
export * from "./product.ts";
export * from "./receipt.ts";
export type {
  EventSample,
  OperationContract,
  PublishedContract,
  RequestSample,
  ServiceContract,
} from "./releases/service-contract.ts";
export * from "./resend.ts";
export * from "./route.ts";
export * from "./routes.ts";
export * from "./run.ts";
export * from "./sandbox-merchants.ts";
export * from "./sandbox-numbers.ts";
export * from "./settings.ts";
export * from "./streams.ts";
export * from "./subjects.ts";
export * from "./subscription.ts";
export * from "./suspense.ts";
export * from "./subscription-plan.ts";
export * from "./subscription-routes.ts";
export * from "./tax.ts";
export * from "./usual-routes.ts";
export * from "./webhook.ts";
export * from "./webhook-delivery.ts";
export type { WorkedOff } from "./work-off.ts";
