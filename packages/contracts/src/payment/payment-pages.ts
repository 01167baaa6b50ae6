import { linkCodePattern, secondMs } from "@malipo/core";
import { z } from "zod";
import { page } from "../definition/page.ts";
import { route } from "../definition/route.ts";
import { promptAmountRange } from "./payment.ts";

export const languages = ["en", "sw"] as const;
export type Language = (typeof languages)[number];

/** An unknown language counts as none. */
const query = z.object({ lang: z.enum(languages).optional().catch(undefined) });

/** 128 random bits that a page generates for one payment. Any client that knows them may follow it. */
export const attemptPattern = /^[\w-]{22}$/;
const attempt = z.string().regex(attemptPattern);

const linkPage = { service: "payment", noun: "payment link", code: linkCodePattern } as const;
/** 128 random bits, so that a public pay link does not lead to the receipts of other payers. */
const receiptPage = { service: "payment", noun: "receipt", code: /^[\w-]{22}$/ } as const;
const attemptRoute = { audience: "page", service: "payment", rateClass: "none" } as const;
const html = { media: "text/html; charset=utf-8", query } as const;

const attemptView = z.object({
  /** `unsent`: no prompt was sent, so the payer may retry. `checking`: the outcome is not known yet. */
  state: z.enum(["sending", "unsent", "prompted", "checking", "paid", "notpaid"]),
  /** How long the phone will still show the prompt. */
  secondsleft: z.int(),
  /** Why it was not paid, as one machine-readable word. */
  reason: z.string().nullable(),
  amount: z.number(),
  phone: z.string(),
  receipt: z
    .object({ receiptno: z.string(), momoreceiptnumber: z.string().nullable(), path: z.string() })
    .nullable(),
});

export type AttemptView = z.infer<typeof attemptView>;

export const paymentPages = {
  showPayPage: page({
    ...linkPage,
    ...html,
    verb: "show-pay-page",
    path: "/p/:code",
    summary: "Where a payment link is paid",
  }),
  payByPage: route({
    ...attemptRoute,
    verb: "pay-by-page",
    method: "POST",
    path: "/p/:code/pay",
    summary: "Ask the visitor's phone to pay",
    timeoutMs: 30 * secondMs,
    params: { code: linkPage.noun },
    paramPatterns: { code: linkPage.code },
    body: z.object({
      attempt,
      phone: z.string().max(40),
      amount: z.int().min(promptAmountRange.min).max(promptAmountRange.max),
    }),
    faultCodes: [
      "not_found",
      "business_suspended",
      "changed_meanwhile",
      "conflict",
      "payment_method_not_configured",
      "phone_busy",
      "provider_refused",
      "provider_unreachable",
      "rate_limited",
    ],
    reply: { status: 200, data: attemptView },
  }),
  getPayAttempt: route({
    ...attemptRoute,
    verb: "get-pay-attempt",
    method: "GET",
    path: "/p/:code/attempt/:attempt",
    summary: "How a payment stands that a page has asked for",
    params: { code: linkPage.noun, attempt: "payment" },
    paramPatterns: { code: linkPage.code, attempt: attemptPattern },
    faultCodes: ["not_found"],
    reply: { status: 200, data: attemptView },
  }),
  drawQrPng: page({
    ...linkPage,
    verb: "draw-qr-png",
    path: "/qr/:code.png",
    summary: "A payment link's address as a QR code",
    media: "image/png",
    maxAgeSeconds: 86_400,
  }),
  drawQrSvg: page({
    ...linkPage,
    verb: "draw-qr-svg",
    path: "/qr/:code.svg",
    summary: "The same for print",
    media: "image/svg+xml",
    maxAgeSeconds: 86_400,
  }),
  showReceiptPage: page({
    ...receiptPage,
    ...html,
    verb: "show-receipt-page",
    path: "/r/:code",
    summary: "A receipt as its payer sees it",
  }),
  showReceiptPdf: page({
    ...receiptPage,
    verb: "show-receipt-pdf",
    path: "/r/:code.pdf",
    summary: "The same as a PDF",
    media: "application/pdf",
    query,
  }),
} as const;

/** The page's stream of changes to its payment. The gateway serves it from live messages. */
export const livePath = "/p/:code/attempt/:attempt/live";

/** Says only whether the payment has ended. The page then requests the attempt itself. */
export interface LiveMessage {
  readonly ended: boolean;
}
