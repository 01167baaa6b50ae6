import type { RequestOutcome } from "@malipo/contracts";
import type { Cents, Fault, Result } from "@malipo/core";
import type { Deps } from "./deps.ts";
import { describePayable, judgeAmount } from "./payables.ts";
import { type Asked, requestPayment, resumeRequest } from "./request-payment.ts";

interface Wish {
  readonly amount: Cents;
  readonly phone: string;
  readonly referenceid?: string | undefined;
  readonly invoiceid?: string | undefined;
  readonly paymentlinkid?: string | undefined;
}

/** From what a caller wants to a prompt: what is asked again is looked at before anything else. */
export async function placeOrder(
  deps: Deps,
  asked: Asked,
  wish: Wish,
): Promise<Result<RequestOutcome, Fault>> {
  const resumed = await resumeRequest(deps, asked);
  if (resumed) return resumed;
  const payable = await describePayable(deps, asked, wish);
  if (!payable.ok) return payable;
  const judged = judgeAmount(wish.amount, payable.value);
  if (!judged.ok) return judged;
  return requestPayment(deps, asked, {
    ...payable.value,
    amount: wish.amount,
    phone: wish.phone,
    referenceid: wish.referenceid ?? payable.value.referenceid,
  });
}
