import { linkCodePattern, secondMs } from "@malipo/core";
import { z } from "zod";
import { page } from "../definition/page.ts";
import { route } from "../definition/route.ts";
import { promptAmountRange } from "./payment.ts";

export const languages = ["en", "sw"] as const;
export type Language = (typeof languages)[number];

/** A language that nobody speaks here is as good as none. */
const query = z.object({ lang: z.enum(languages).optional().catch(undefined) });

/** 128 random bits that a page draws for one payment: who has them may follow it. */
export const attemptPattern = /^[\w-]{22}$/;
const attempt = z.string().regex(attemptPattern);

const ofLink = { service: "payment", noun: "payment link", code: linkCodePattern } as const;
/** 128 random bits: who pays by a link in public does not show all others' receipts. */
const ofReceipt = { service: "payment", noun: "receipt", code: /^[\w-]{22}$/ } as const;
const ofAttempt = { audience: "page", service: "payment", rateClass: "none" } as const;
const html = { media: "text/html; charset=utf-8", query } as const;

const attemptView = z.object({
  /** Unsent: nothing has left, and it may be tried again. Checking: nobody knows yet how it ended. */
  state: z.enum(["sending", "unsent", "prompted", "checking", "paid", "notpaid"]),
  /** How long the phone still shows the prompt. */
  secondsleft: z.int(),
  /** Why it was not paid, as one word. */
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
    ...ofLink,
    ...html,
    verb: "show-pay-page",
    path: "/p/:code",
    summary: "Where a payment link is paid",
  }),
  payByPage: route({
    ...ofAttempt,
    verb: "pay-by-page",
    method: "POST",
    path: "/p/:code/pay",
    summary: "Ask the visitor's phone to pay",
    timeoutMs: 30 * secondMs,
    params: { code: ofLink.noun },
    paramPatterns: { code: ofLink.code },
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
    ...ofAttempt,
    verb: "get-pay-attempt",
    method: "GET",
    path: "/p/:code/attempt/:attempt",
    summary: "How a payment stands that a page has asked for",
    params: { code: ofLink.noun, attempt: "payment" },
    paramPatterns: { code: ofLink.code, attempt: attemptPattern },
    faultCodes: ["not_found"],
    reply: { status: 200, data: attemptView },
  }),
  drawQrPng: page({
    ...ofLink,
    verb: "draw-qr-png",
    path: "/qr/:code.png",
    summary: "A payment link's address as a QR code",
    media: "image/png",
    maxAgeSeconds: 86_400,
  }),
  drawQrSvg: page({
    ...ofLink,
    verb: "draw-qr-svg",
    path: "/qr/:code.svg",
    summary: "The same for print",
    media: "image/svg+xml",
    maxAgeSeconds: 86_400,
  }),
  showReceiptPage: page({
    ...ofReceipt,
    ...html,
    verb: "show-receipt-page",
    path: "/r/:code",
    summary: "A receipt as its payer sees it",
  }),
  showReceiptPdf: page({
    ...ofReceipt,
    verb: "show-receipt-pdf",
    path: "/r/:code.pdf",
    summary: "The same as a PDF",
    media: "application/pdf",
    query,
  }),
} as const;

/** Where a page hears of changes to its payment as they happen: the gateway's own, made of messages. */
export const livePath = "/p/:code/attempt/:attempt/live";

/** The message says only whether there is more to wait for; the page asks what has become of it. */
export interface LiveMessage {
  readonly ended: boolean;
}
