import type { AttemptView } from "@malipo/contracts";
import { cents, err, type Fault, fault, ok, type Result, secondMs } from "@malipo/core";
import type { Deps } from "../deps.ts";
import { answerFor } from "../domain/transaction/views.ts";
import { type Asked, findEarlier, goOn, requestPayment } from "./create-transaction.ts";
import { subjectOf, type Transaction } from "../domain/transaction/transaction.ts";
import { amountsFor, isWithin } from "../domain/prompt/amounts.ts";
import { findAttempt } from "./find-attempt.ts";
import type { Bill } from "./find-bill.ts";
import { restsUntil, unansweredMax } from "../domain/prompt/link-pause.ts";

/** As many as may wait for their payers at once by one link. */
const openMax = 100;
const minuteSeconds = 60;

export interface PageOrder {
  /** The page's own secret: the same for every tap and after every reload, until it is decided. */
  readonly attempt: string;
  readonly phone: string;
  readonly shillings: number;
}

/** Asks a visitor's phone to pay, by the same story as the API; one attempt never prompts twice. */
export async function payBill(
  deps: Deps,
  bill: Bill,
  order: PageOrder,
  asked: Asked,
): Promise<Result<AttemptView, Fault>> {
  const outcome = await beginOrGoOn(deps, bill, order, asked);
  const made = await findAttempt(deps, bill, order.attempt);
  // What was prompted, or may have been, is followed; only what surely was not is refused.
  if (!outcome.ok && (!made || (await isUnsent(deps, asked, outcome.error)))) {
    await deps.promptAllowances.giveBack(order.phone, order.attempt);
    return outcome;
  }
  return made ? ok(made) : err(fault("not_found"));
}

async function beginOrGoOn(
  deps: Deps,
  bill: Bill,
  order: PageOrder,
  asked: Asked,
): Promise<Result<unknown, Fault>> {
  const earlier = await findEarlier(deps, asked);
  if (earlier && earlier.entity.state !== "saved") return answerFor(earlier.entity);
  const refusal =
    (earlier && changeOf(earlier.entity, bill, order)) ??
    refusalOf(bill, order) ??
    (await limitReached(deps, bill, order, asked));
  if (refusal) return err(refusal);
  if (earlier) return goOn(deps, earlier, bill.debt, asked.deadline);
  return requestPayment(deps, asked, {
    amount: cents(order.shillings * 100),
    phone: order.phone,
    referenceid: bill.referenceid,
    purpose: bill.purpose,
    debt: bill.debt,
    title: bill.title,
  });
}

/** Nobody has called for it, and whoever asks again does so anew. */
async function isUnsent(deps: Deps, asked: Asked, { code }: Fault): Promise<boolean> {
  if (code === "outcome_unknown") return false;
  const present = await findEarlier(deps, asked);
  return present?.entity.state === "saved";
}

/** What could not be sent goes on only as it was. */
function changeOf(earlier: Transaction, { purpose }: Bill, order: PageOrder): Fault | null {
  const isSame =
    earlier.phone === order.phone &&
    earlier.amount === order.shillings * 100 &&
    subjectOf(earlier)[0] === subjectOf(purpose)[0];
  return isSame ? null : fault("changed_meanwhile");
}

/** What the page showed may not be so any more. */
function refusalOf({ status, owed, partpayment }: Bill, { shillings }: PageOrder): Fault | null {
  if (status === "suspended") return fault("business_suspended");
  const isAsked = status === "active" && isWithin(amountsFor(owed, partpayment), shillings);
  return isAsked ? null : fault("changed_meanwhile");
}

/** Nobody pesters strangers by a page. */
async function limitReached(
  { transactions, promptAllowances, service }: Deps,
  { businessid, linkid }: Bill,
  { phone, attempt }: PageOrder,
  { cause: { now } }: Asked,
): Promise<Fault | null> {
  const [unanswered, open] = await Promise.all([
    transactions.unanswered(businessid, linkid, now, unansweredMax),
    transactions.open(businessid, linkid, now),
  ]);
  const rest = restsUntil(unanswered, now);
  if (rest) {
    service.log.warn({ businessid, linkid }, "a link rests: nobody answers its prompts");
    return tooMany(rest, now);
  }
  if (open >= openMax) return fault("rate_limited", { retryAfterSeconds: minuteSeconds });
  const free = await promptAllowances.take(phone, attempt);
  return free && tooMany(free, now);
}

function tooMany(until: Date, now: Date): Fault {
  const retryAfterSeconds = Math.ceil((until.getTime() - now.getTime()) / secondMs);
  return fault("rate_limited", { retryAfterSeconds });
}
