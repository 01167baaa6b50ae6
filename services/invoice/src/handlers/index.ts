import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { cancelInvoice } from "./calls/cancel-invoice.ts";
import { createCustomer } from "./catalogue/create-customer.ts";
import { createInvoice } from "./invoices/create-invoice.ts";
import { createProduct } from "./catalogue/create-product.ts";
import { createTax } from "./catalogue/create-tax.ts";
import { describeOrder } from "./calls/describe-order.ts";
import { describePayable } from "./calls/describe-payable.ts";
import { findIssuedInvoices } from "./calls/find-issued-invoices.ts";
import { findAppliedPayments } from "./calls/find-applied-payments.ts";
import { getCustomer } from "./catalogue/get-customer.ts";
import { getInvoice } from "./invoices/get-invoice.ts";
import { getProduct } from "./catalogue/get-product.ts";
import { getTax } from "./catalogue/get-tax.ts";
import { issueInvoice } from "./calls/issue-invoice.ts";
import { listCustomers } from "./catalogue/list-customers.ts";
import { listInvoices } from "./invoices/list-invoices.ts";
import { listParkedInvoices } from "./operations/list-parked.ts";
import { listProducts } from "./catalogue/list-products.ts";
import { listTaxes } from "./catalogue/list-taxes.ts";
import { onBusiness } from "./events/on-business.ts";
import { onCredit } from "./events/on-credit.ts";
import { onInvoice } from "./events/on-invoice.ts";
import { onPayment } from "./events/on-payment.ts";
import { onSubscriptionBilled } from "./events/on-subscription-billed.ts";
import { describeOwedByCustomer } from "./calls/describe-owed-by-customer.ts";
import { describeOwedBySubscription } from "./calls/describe-owed-by-subscription.ts";
import { reportInvoiceHealth } from "./operations/report-health.ts";
import { resendInvoiceEvents } from "./operations/resend-events.ts";
import { retryParkedInvoices } from "./operations/retry-parked.ts";
import { showInvoicePage } from "./invoices/show-invoice-page.ts";
import { showInvoicePdf } from "./invoices/show-invoice-pdf.ts";
import { updateCustomer } from "./catalogue/update-customer.ts";
import { updateInvoice } from "./invoices/update-invoice.ts";
import { updateProduct } from "./catalogue/update-product.ts";
import { updateTax } from "./catalogue/update-tax.ts";
import { processOverdueInvoices } from "./operations/process-overdue-invoices.ts";

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
