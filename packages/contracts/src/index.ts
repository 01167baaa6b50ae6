export * from "./definition/call.ts";
export * from "./definition/consumer.ts";
export * from "./definition/crud-routes.ts";
export * from "./definition/event.ts";
export * from "./definition/failure.ts";
export * from "./definition/fields.ts";
export * from "./definition/message-headers.ts";
export * from "./definition/nats-user.ts";
export * from "./definition/operation.ts";
export * from "./definition/page.ts";
export * from "./definition/paging.ts";
export * from "./definition/route.ts";
export * from "./definition/service-name.ts";
export * from "./definition/stream.ts";
export * from "./definition/subjects.ts";

export * from "./gateway/business.ts";
export * from "./gateway/callback.ts";
export * from "./gateway/key.ts";
export * from "./gateway/settings.ts";

export * from "./invoice/credit-events.ts";
export * from "./invoice/customer.ts";
export * from "./invoice/invoice-calls.ts";
export * from "./invoice/invoice-events.ts";
export { discounttypes, type InvoiceStatus, invoiceStatuses } from "./invoice/invoice-fields.ts";
export * from "./invoice/invoice-pages.ts";
export * from "./invoice/invoice-routes.ts";
export * from "./invoice/issue.ts";
export * from "./invoice/order.ts";
export * from "./invoice/product.ts";
export * from "./invoice/tax.ts";

export * from "./operations/dead-letters.ts";
export * from "./operations/health.ts";
export * from "./operations/parked.ts";
export type { ProcessDueResult } from "./operations/process-due.ts";
export * from "./operations/resend.ts";

export * from "./payment/payment.ts";
export * from "./payment/payment-link.ts";
export * from "./payment/payment-method.ts";
export * from "./payment/payment-pages.ts";
export * from "./payment/receipt.ts";
export * from "./payment/sandbox-merchants.ts";
export * from "./payment/sandbox-numbers.ts";
export * from "./payment/suspense.ts";

export * from "./registry/calls.ts";
export * from "./registry/consumers.ts";
export * from "./registry/events.ts";
export * from "./registry/operations.ts";
export * from "./registry/routes.ts";
export * from "./registry/streams.ts";

export * from "./scheduler/runs.ts";

export * from "./subscription/billing-preview.ts";
export * from "./subscription/subscription-calls.ts";
export * from "./subscription/subscription-events.ts";
export * from "./subscription/subscription-plan.ts";
export * from "./subscription/subscription-routes.ts";

export * from "./webhook/delivery.ts";
export * from "./webhook/event-feed.ts";
export * from "./webhook/webhook.ts";
