import type { AttemptView } from "@malipo/contracts";
import {
  addMs,
  err,
  type Fault,
  fault,
  minuteMs,
  ok,
  type Result,
  secondMs,
  shillingsToCents,
} from "@malipo/core";
import type { Deps } from "../deps.ts";
import { amountRangeFor, isWithin } from "../domain/prompt/amounts.ts";
import { pausedUntil } from "../domain/prompt/link-pause.ts";
import {
  allowanceOfPhone,
  allowancesOfPayer,
  allowancesOfVisitor,
  type PromptAllowance,
} from "../domain/prompt/prompt-allowance.ts";
import type { Visitor } from "../domain/visitor.ts";
import { debtIdOf, type Transaction } from "../domain/transaction/transaction.ts";
import { viewPaymentRequest } from "../domain/transaction/views.ts";
import {
  findByOperation,
  promptNewTransaction,
  type PromptContext,
  resumePrompt,
} from "./create-transaction.ts";
import { findAttempt } from "./find-attempt.ts";
import type { Bill } from "./find-bill.ts";

/** How many prompts of one link may be open at once. */
const openPromptsMax = 100;
const retryAfterMs = minuteMs;

export interface PageOrder extends Visitor {
  /** The page's own secret. It stays the same until the attempt is decided, over taps and reloads. */
  readonly attempt: string;
  readonly phone: string;
  readonly shillings: number;
}

/** Prompts a visitor's phone, as the API does. One attempt never prompts twice. */
export async function payBill(
  deps: Deps,
  bill: Bill,
  order: PageOrder,
  context: PromptContext,
): Promise<Result<AttemptView, Fault>> {
  const outcome = await promptOrResume(deps, bill, order, context);
  const attempt = await findAttempt(deps, bill, order.attempt);
  // The page follows a prompt that was sent, or may have been. Only one that was not sent is refused.
  if (!outcome.ok && (!attempt || (await isUnsent(deps, context, outcome.error)))) {
    await deps.promptAllowances.giveBack(allowancesOfStranger(bill, order), order.attempt);
    return outcome;
  }
  return attempt ? ok(attempt) : err(fault("not_found"));
}

async function promptOrResume(
  deps: Deps,
  bill: Bill,
  order: PageOrder,
  context: PromptContext,
): Promise<Result<unknown, Fault>> {
  const earlier = await findByOperation(deps, context);
  if (earlier && earlier.entity.state !== "unsent") return viewPaymentRequest(earlier.entity);
  const refusal =
    (earlier && checkUnchanged(earlier.entity, bill, order)) ??
    checkBill(bill, order) ??
    (await checkLimits(deps, bill, order, context));
  if (refusal) return err(refusal);
  if (earlier) return resumePrompt(deps, earlier, bill.debt, context.deadline);
  return promptNewTransaction(deps, context, {
    amount: shillingsToCents(order.shillings),
    phone: order.phone,
    referenceid: bill.referenceid,
    purpose: bill.purpose,
    debt: bill.debt,
    title: bill.title,
    askedfrom: order.askedfrom,
    askednetwork: order.askednetwork,
  });
}

/** The prompt was not sent, and a new request sends it. */
async function isUnsent(deps: Deps, context: PromptContext, { code }: Fault): Promise<boolean> {
  if (code === "outcome_unknown") return false;
  const found = await findByOperation(deps, context);
  return found?.entity.state === "unsent";
}

/** An unsent transaction is only sent with the phone, the amount and the debt that it was made with. */
function checkUnchanged(earlier: Transaction, { purpose }: Bill, order: PageOrder): Fault | null {
  const isSame =
    earlier.phone === order.phone &&
    earlier.amount === shillingsToCents(order.shillings) &&
    debtIdOf(earlier) === debtIdOf(purpose);
  return isSame ? null : fault("changed_meanwhile");
}

/** The bill may have changed since the page showed it. */
function checkBill({ status, owed, partpayment }: Bill, { shillings }: PageOrder): Fault | null {
  if (status === "suspended") return fault("business_suspended");
  const isPayable = status === "active" && isWithin(amountRangeFor(owed, partpayment), shillings);
  return isPayable ? null : fault("changed_meanwhile");
}

/**
 * These limits protect people whose number a stranger types into a page. They never close a page to the
 * customer of its bill, and to those who have paid the business before.
 */
async function checkLimits(
  deps: Deps,
  bill: Bill,
  order: PageOrder,
  { cause: { now } }: PromptContext,
): Promise<Fault | null> {
  const isPayer =
    bill.customerphone === order.phone ||
    (await deps.transactions.hasPaid(bill.businessid, order.phone));
  if (isPayer) {
    return takeAllowances(deps, allowancesOfPayer(order.phone, order), order, now);
  }
  const closed = await checkLink(deps, bill, now);
  return closed ?? takeAllowances(deps, allowancesOfStranger(bill, order), order, now);
}

async function checkLink(
  { transactions, service }: Deps,
  { businessid, linkid }: Bill,
  now: Date,
): Promise<Fault | null> {
  const [unanswered, open] = await Promise.all([
    transactions.unansweredPrompts(businessid, linkid, now),
    transactions.countOpenPrompts(businessid, linkid, now),
  ]);
  const paused = pausedUntil(unanswered, now);
  if (paused) {
    service.log.warn({ businessid, linkid }, "link paused: too many unanswered prompts");
    return rateLimited(paused, now);
  }
  return open >= openPromptsMax ? rateLimited(addMs(now, retryAfterMs), now) : null;
}

/** The allowance as a payer is counted too, because the first payment makes a payer of a stranger. */
function allowancesOfStranger({ linkid }: Bill, order: PageOrder): PromptAllowance[] {
  return [
    ...allowancesOfVisitor(order, linkid),
    allowanceOfPhone(order.phone),
    ...allowancesOfPayer(order.phone, order),
  ];
}

/** Takes each of them. If one is refused, `payBill` gives back the others. */
async function takeAllowances(
  { promptAllowances }: Deps,
  allowances: readonly PromptAllowance[],
  { attempt }: PageOrder,
  now: Date,
): Promise<Fault | null> {
  for (const allowance of allowances) {
    const from = await promptAllowances.take(allowance, attempt);
    if (from) return rateLimited(from, now);
  }
  return null;
}

function rateLimited(until: Date, now: Date): Fault {
  const waitMs = until.getTime() - now.getTime();
  return fault("rate_limited", { retryAfterSeconds: Math.ceil(waitMs / secondMs) });
}
