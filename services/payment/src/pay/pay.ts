import type { AttemptView } from "@malipo/contracts";
import { cents, err, type Fault, fault, ok, type Result, secondMs } from "@malipo/core";
import type { Deps } from "../deps.ts";
import { type Asked, requestPayment, resumeRequest } from "../request-payment.ts";
import { amountsFor, isWithin } from "./amounts.ts";
import { findAttempt } from "./attempt.ts";
import type { Bill } from "./bill.ts";
import { restsUntil, unansweredMax } from "./resting.ts";

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
  const outcome = (await resumeRequest(deps, asked)) ?? (await begin(deps, bill, order, asked));
  const made = await findAttempt(deps, bill, order.attempt);
  // What was prompted, or may have been, is followed; only what surely was not is refused.
  const isUnsent = made?.state === "unsent" || made?.state === "sending";
  if (!outcome.ok && (!made || (isUnsent && outcome.error.code === "provider_unreachable"))) {
    await deps.promptAllowances.giveBack(order.phone, order.attempt);
    return outcome;
  }
  return made ? ok(made) : err(fault("not_found"));
}

async function begin(deps: Deps, bill: Bill, order: PageOrder, asked: Asked) {
  const refusal = refusalOf(bill, order) ?? (await limitReached(deps, bill, order, asked));
  if (refusal) return err(refusal);
  return requestPayment(deps, asked, {
    amount: cents(order.shillings * 100),
    phone: order.phone,
    referenceid: bill.referenceid,
    purpose: bill.purpose,
    debt: bill.debt,
    title: bill.title,
  });
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
