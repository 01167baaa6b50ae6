import { isSandboxNumber } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import {
  createCallbackToken,
  consumeCallbacks,
  consumeEvents,
  countParked,
  createCipher,
  createFairQueue,
  defineService,
  openBusinessViews,
  openCodes,
  openNumbering,
  parkedReconciliations,
  type Service,
  serveRoutes,
  sweepEvents,
} from "@malipo/platform";
import { pdfShares } from "@malipo/print";
import { openAccounts } from "./providers/accounts.ts";
import { type PaymentConfig, paymentConfig } from "./config.ts";
import type { Deps } from "./deps.ts";
import { eventHandlers, handlers } from "./handlers/index.ts";
import { openMomoReceipts } from "./store/momo-receipts.ts";
import { openReceiptPdfs } from "./pages/receipt/receipt-pdfs.ts";
import { openPaymentLinks } from "./store/payment-links.ts";
import { openPaymentMethods } from "./store/payment-methods.ts";
import { createPaymentMetrics, measureSuspense } from "./metrics.ts";
import { openPromptAllowances } from "./store/phones/prompt-allowances.ts";
import { keyedHash } from "./store/phones/keyed-hash.ts";
import { openPhoneHolds } from "./store/phones/phone-holds.ts";
import { openProviderSettings } from "./store/provider-settings.ts";
import { openDaraja, tokenFetcher } from "./providers/daraja/client.ts";
import { openHttp } from "./providers/daraja/http.ts";
import { readResultCode } from "./providers/daraja/result-codes.ts";
import { openTokens } from "./providers/daraja/tokens.ts";
import { openReceipts } from "./store/receipts.ts";
import { startReconciliation } from "./jobs/reconcile-transactions.ts";
import { openReservations } from "./store/reservations.ts";
import { startResealing } from "./jobs/reseal-secrets.ts";
import { openSuspense } from "./store/suspense.ts";
import { openCallbacks } from "./store/callbacks.ts";
import { applyCallbacks } from "./workflows/apply-callbacks.ts";
import { openTransactions } from "./store/transactions.ts";

export const paymentService = defineService({
  name: "payment",
  config: paymentConfig,
  start: async (service, config) => {
    const deps = await openDeps(service, config);
    sweepEvents(service, deps.collections);
    countParked(service, deps.parked);
    consumeCallbacks(service, applyCallbacks(deps));
    consumeEvents(service, eventHandlers, deps);
    await serveRoutes(service, handlers, deps);
    startReconciliation(deps);
  },
});

/** Opens the stores and the provider. */
export async function openDeps(service: Service, config: PaymentConfig): Promise<Deps> {
  const [callbackKey = ""] = config.CALLBACK_KEY;
  const cipher = createCipher(config.ENCRYPTION_KEY);
  const baseUrl = config.MPESA_BASE_URL;
  const http = openHttp();
  service.shutdown.on("connections", () => http.close());
  const tokens = openTokens(service, cipher, tokenFetcher(baseUrl, http));
  const [transactions, receipts, methods, links] = await Promise.all([
    openTransactions(service, readResultCode),
    openReceipts(service),
    openPaymentMethods(service),
    openPaymentLinks(service),
  ]);
  const hashPhone = keyedHash(callbackKey, "phone");
  const [phoneHolds, promptAllowances, reservations, suspense, callbacks] = await Promise.all([
    openPhoneHolds(service, hashPhone),
    openPromptAllowances(service, hashPhone),
    openReservations(service),
    openSuspense(service),
    openCallbacks(service),
  ]);
  measureSuspense(service, suspense);
  const receiptPdfs = openReceiptPdfs(createFairQueue(pdfShares, service.clock));
  service.shutdown.on("connections", () => receiptPdfs.close());
  const settings = openProviderSettings(service, cipher);
  await startResealing(
    service,
    cipher,
    ["providersettings", "providertokens"].map((name) => service.store.db.collection(name)),
  );
  const collections = [transactions.collection];
  return {
    service,
    metrics: createPaymentMetrics(service),
    transactions,
    methods,
    settings,
    accounts: openAccounts(methods, settings, config.MODE),
    provider: openDaraja({ baseUrl, http, tokens, clock: service.clock }),
    phoneHolds,
    promptAllowances,
    reservations,
    momoReceipts: openMomoReceipts(service),
    suspense,
    callbacks,
    businesses: openBusinessViews(service),
    receipts,
    receiptPdfs,
    numbering: openNumbering(service, "RCT"),
    links,
    codes: openCodes(service),
    phoneRest: {
      firstMs: config.PHONE_REST_SECONDS * secondMs,
      maxMs: config.PHONE_REST_MAX_SECONDS * secondMs,
      isExempt: (phone) => config.MODE === "sandbox" && isSandboxNumber(phone),
    },
    hashAddress: keyedHash(callbackKey, "address"),
    publicUrl: config.PUBLIC_URL,
    callbackUrl: (id) =>
      `${config.CALLBACK_URL}/callbacks/stk/${createCallbackToken(id, callbackKey)}`,
    isProviderAddress: (address) =>
      config.CALLBACK_ADDRESSES.length === 0 || config.CALLBACK_ADDRESSES.includes(address),
    collections,
    parked: [parkedReconciliations(transactions.collection)],
  };
}
