import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { cancelInvoice } from "./cancel-invoice.ts";
import { createCustomer } from "./create-customer.ts";
import { createInvoice } from "./create-invoice.ts";
import { createProduct } from "./create-product.ts";
import { createTax } from "./create-tax.ts";
import { describeOrder } from "./describe-order.ts";
import { describePayable } from "./describe-payable.ts";
import { findIssuedInvoices } from "./find-issued-invoices.ts";
import { findAppliedPayments } from "./find-applied-payments.ts";
import { getCustomer } from "./get-customer.ts";
import { getInvoice } from "./get-invoice.ts";
import { getProduct } from "./get-product.ts";
import { getTax } from "./get-tax.ts";
import { issueInvoice } from "./issue-invoice.ts";
import { listCustomers } from "./list-customers.ts";
import { listInvoices } from "./list-invoices.ts";
import { listParkedInvoices } from "./list-parked.ts";
import { listProducts } from "./list-products.ts";
import { listTaxes } from "./list-taxes.ts";
import { onBusiness } from "./on-business.ts";
import { onCredit } from "./on-credit.ts";
import { onInvoice } from "./on-invoice.ts";
import { onPayment } from "./on-payment.ts";
import { onSubscriptionBilled } from "./on-subscription-billed.ts";
import { describeOwedByCustomer } from "./describe-owed-by-customer.ts";
import { describeOwedBySubscription } from "./describe-owed-by-subscription.ts";
import { reportInvoiceHealth } from "./report-health.ts";
import { resendInvoiceEvents } from "./resend-events.ts";
import { retryParkedInvoices } from "./retry-parked.ts";
import { showInvoicePage } from "./show-invoice-page.ts";
import { showInvoicePdf } from "./show-invoice-pdf.ts";
import { updateCustomer } from "./update-customer.ts";
import { updateInvoice } from "./update-invoice.ts";
import { updateProduct } from "./update-product.ts";
import { updateTax } from "./update-tax.ts";
import { processOverdueInvoices } from "./process-overdue-invoices.ts";

/** One handler for each route and call that the contracts give this service. */
export const handlers = {
  cancelInvoice,
  createCustomer,
  createInvoice,
  createProduct,
  createTax,
  describeOrder,
  describePayable,
  findIssuedInvoices,
  findAppliedPayments,
  getCustomer,
  getInvoice,
  getProduct,
  getTax,
  issueInvoice,
  listCustomers,
  listInvoices,
  listParkedInvoices,
  listProducts,
  listTaxes,
  describeOwedByCustomer,
  describeOwedBySubscription,
  reportInvoiceHealth,
  resendInvoiceEvents,
  retryParkedInvoices,
  showInvoicePage,
  showInvoicePdf,
  updateCustomer,
  updateInvoice,
  updateProduct,
  updateTax,
  processOverdueInvoices,
} satisfies HandlersOf<"invoice", Deps>;

/** One handler for each pattern of events that this service consumes. */
export const eventHandlers = {
  "business.*": onBusiness,
  "credit.*": onCredit,
  "invoice.*": onInvoice,
  "payment.*": onPayment,
  "subscription.billed": onSubscriptionBilled,
} satisfies EventHandlersOf<"invoice", Deps>;
