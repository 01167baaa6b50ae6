import { coveredByCredit } from "@malipo/contracts";
import { addMs, err, fault, type FaultCode, type FaultDetails, minuteMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { start, simulate } from "../../../test/simulated-subscription.ts";
import { awaitOutcome } from "./prompt-schedule.ts";
import type { Subscription } from "../lifecycle/subscription.ts";
import { applyAnswer, prepareRequest } from "./prompt-request.ts";

const always = { from: 0, to: 24 };
const payable = {
  invoiceid: "f".repeat(24),
  payable: true,
  reason: null,
  owed: 100,
  reserved: 0,
  customer: { phone: "254712345678" as string | null },
};
const unpayable = (reason: string) => ({ ...payable, payable: false, reason, owed: 0 });
const phoneless = { ...payable, customer: { phone: null } };

const later = (minutes: number) => addMs(start, minutes * minuteMs);

function firstInvoice({ invoices: [invoice] }: Subscription) {
  if (!invoice) throw new Error("a subscription with autorenew begins with an invoice");
  return invoice;
}

function claimed() {
  const { subscription } = simulate({ autorenew: true });
  return prepareRequest(subscription, firstInvoice(subscription), payable, start, always);
}

describe("prepareRequest with a claimed prompt", () => {
  it("keeps the claim and repeats it in a minute, even if the invoice is paid by other means", () => {
    const paidOtherwise = { ...payable, payable: false, reserved: 100 };
    const again = prepareRequest(
      claimed(),
      firstInvoice(claimed()),
      paidOtherwise,
      later(1),
      always,
    );
    expect(firstInvoice(again).prompting).toMatchObject({
      attempt: 1,
      claimed: start,
      nextat: later(2),
    });
  });

  it("ends the prompts when the customer has no phone any more", () => {
    const ended = prepareRequest(claimed(), firstInvoice(claimed()), phoneless, later(1), always);
    expect(firstInvoice(ended).prompting).toMatchObject({
      claimed: null,
      nextat: null,
      reason: "the customer has no phone",
    });
  });

  it("fails the prompt as unresolved when the outcome of a sent prompt never arrives", () => {
    const ringing = awaitOutcome(claimed(), firstInvoice(claimed()), "e".repeat(24), start);
    const over = prepareRequest(ringing, firstInvoice(ringing), phoneless, later(26 * 60), always);
    expect(firstInvoice(over).prompting).toMatchObject({ claimed: null, reason: "unresolved" });
  });
});

describe("prepareRequest without a claimed prompt", () => {
  const { subscription } = simulate({ autorenew: true });

  it("postpones the prompt of an invoice that credit covers but has not paid yet", () => {
    const due = firstInvoice(subscription);
    const after = prepareRequest(subscription, due, unpayable(coveredByCredit), start, always);
    expect(firstInvoice(after).prompting).toMatchObject({ attempt: 0, claimed: null });
    expect(firstInvoice(after).prompting.nextat?.getTime()).toBeGreaterThan(start.getTime());
  });

  it("ends the prompts of an invoice that is paid", () => {
    const due = firstInvoice(subscription);
    const after = prepareRequest(subscription, due, unpayable("Invoice is paid"), start, always);
    expect(firstInvoice(after).prompting).toMatchObject({
      nextat: null,
      reason: "Invoice is paid",
    });
  });
});

const refused = (code: FaultCode, details: FaultDetails = {}) =>
  applyAnswer(claimed(), firstInvoice(claimed()), err(fault(code, details)), start, always);
const promptingAfter = (answered: Subscription | null) =>
  answered && firstInvoice(answered).prompting;

describe("applyAnswer", () => {
  it("lets the prompt wait as long as the phone rests, and does not count the attempt", () => {
    const answered = refused("phone_resting", { retryAfterSeconds: 3_600 });
    expect(promptingAfter(answered)).toMatchObject({
      attempt: 0,
      claimed: null,
      nextat: later(60),
    });
    expect(answered?.promptCount).toBe(0);
  });

  it("lets the prompt wait a few minutes when the phone is busy or rests for seconds", () => {
    const wait = { attempt: 0, claimed: null, nextat: later(4) };
    expect(promptingAfter(refused("phone_busy"))).toMatchObject(wait);
    expect(promptingAfter(refused("phone_resting", { retryAfterSeconds: 5 }))).toMatchObject(wait);
  });

  it("counts the attempt when its transaction has failed unsent, so that the next one is another operation", () => {
    const answered = refused("conflict", { transactionid: "e".repeat(24) });
    expect(promptingAfter(answered)).toMatchObject({
      attempt: 1,
      claimed: null,
      reason: "not_sent",
    });
    expect(promptingAfter(refused("conflict"))).toMatchObject({ attempt: 0, claimed: null });
  });
});
