import type { EventHandlersOf, HandlersOf } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { assignSuspense } from "./assign-suspense.ts";
import { reconcilePayments } from "./reconcile-payments.ts";
import { createPaymentLink } from "./create-payment-link.ts";
import { createPaymentMethod } from "./create-payment-method.ts";
import { deletePaymentMethod } from "./delete-payment-method.ts";
import { drawQrPng } from "./draw-qr-png.ts";
import { drawQrSvg } from "./draw-qr-svg.ts";
import { getPayAttempt } from "./get-pay-attempt.ts";
import { getPaymentLink } from "./get-payment-link.ts";
import { getPaymentMethod } from "./get-payment-method.ts";
import { getReceipt } from "./get-receipt.ts";
import { getTransaction } from "./get-transaction.ts";
import { listParkedPayments } from "./list-parked.ts";
import { listPaymentLinks } from "./list-payment-links.ts";
import { listPaymentMethods } from "./list-payment-methods.ts";
import { listReceipts } from "./list-receipts.ts";
import { listSuspense } from "./list-suspense.ts";
import { listTransactions } from "./list-transactions.ts";
import { onBusiness } from "./on-business.ts";
import { onInvoice } from "./on-invoice.ts";
import { onPaymentCompleted } from "./on-payment-completed.ts";
import { payByPage } from "./pay-by-page.ts";
import { promptPayment } from "./prompt-payment.ts";
import { reportPaymentHealth } from "./report-health.ts";
import { requestMobilePayment } from "./request-mobile-payment.ts";
import { resendPaymentEvents } from "./resend-events.ts";
import { retryParkedPayments } from "./retry-parked.ts";
import { showPayPage } from "./show-pay-page.ts";
import { showReceiptPage } from "./show-receipt-page.ts";
import { showReceiptPdf } from "./show-receipt-pdf.ts";
import { testPaymentMethod } from "./test-payment-method.ts";
import { updatePaymentMethod } from "./update-payment-method.ts";

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
