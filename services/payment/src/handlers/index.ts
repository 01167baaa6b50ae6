import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { assignSuspense } from "./operations/assign-suspense.ts";
import { reconcilePayments } from "./operations/reconcile-payments.ts";
import { createPaymentLink } from "./links/create-payment-link.ts";
import { createPaymentMethod } from "./methods/create-payment-method.ts";
import { deletePaymentMethod } from "./methods/delete-payment-method.ts";
import { drawQrPng } from "./pages/draw-qr-png.ts";
import { drawQrSvg } from "./pages/draw-qr-svg.ts";
import { getPayAttempt } from "./pages/get-pay-attempt.ts";
import { getPaymentLink } from "./links/get-payment-link.ts";
import { getPaymentMethod } from "./methods/get-payment-method.ts";
import { getReceipt } from "./payments/get-receipt.ts";
import { getTransaction } from "./payments/get-transaction.ts";
import { listParkedPayments } from "./operations/list-parked.ts";
import { listPaymentLinks } from "./links/list-payment-links.ts";
import { listPaymentMethods } from "./methods/list-payment-methods.ts";
import { listReceipts } from "./payments/list-receipts.ts";
import { listSuspense } from "./operations/list-suspense.ts";
import { listTransactions } from "./payments/list-transactions.ts";
import { onBusiness } from "./events/on-business.ts";
import { onInvoice } from "./events/on-invoice.ts";
import { onPaymentCompleted } from "./events/on-payment-completed.ts";
import { payByPage } from "./pages/pay-by-page.ts";
import { promptPayment } from "./payments/prompt-payment.ts";
import { reportPaymentHealth } from "./operations/report-health.ts";
import { requestMobilePayment } from "./payments/request-mobile-payment.ts";
import { resendPaymentEvents } from "./operations/resend-events.ts";
import { retryParkedPayments } from "./operations/retry-parked.ts";
import { showPayPage } from "./pages/show-pay-page.ts";
import { showReceiptPage } from "./pages/show-receipt-page.ts";
import { showReceiptPdf } from "./pages/show-receipt-pdf.ts";
import { testPaymentMethod } from "./methods/test-payment-method.ts";
import { updatePaymentMethod } from "./methods/update-payment-method.ts";

/** One handler for each route and call that the contracts give this service. */
export const handlers = {
  assignSuspense,
  reconcilePayments,
  createPaymentLink,
  createPaymentMethod,
  deletePaymentMethod,
  drawQrPng,
  drawQrSvg,
  getPayAttempt,
  getPaymentLink,
  getPaymentMethod,
  getReceipt,
  getTransaction,
  listParkedPayments,
  listPaymentLinks,
  listPaymentMethods,
  listReceipts,
  listSuspense,
  listTransactions,
  payByPage,
  promptPayment,
  reportPaymentHealth,
  requestMobilePayment,
  resendPaymentEvents,
  retryParkedPayments,
  showPayPage,
  showReceiptPage,
  showReceiptPdf,
  testPaymentMethod,
  updatePaymentMethod,
} satisfies HandlersOf<"payment", Deps>;

/** One handler for each pattern of events that this service consumes. */
export const eventHandlers = {
  "business.*": onBusiness,
  "invoice.*": onInvoice,
  "payment.completed": onPaymentCompleted,
} satisfies EventHandlersOf<"payment", Deps>;
