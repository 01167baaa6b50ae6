import type { RequestOutcome } from "@malipo/contracts";
import type { Cents, Fault, Result } from "@malipo/core";
import type { Deps } from "../deps.ts";
import { describePayable, judgeAmount } from "./describe-payable.ts";
import { answerFor } from "../domain/transaction/views.ts";
import { type Asked, findEarlier, goOn, requestPayment } from "./create-transaction.ts";

interface Wish {
  readonly amount: Cents;
  readonly phone: string;
  readonly referenceid?: string | undefined;
  readonly invoiceid?: string | undefined;
  readonly paymentlinkid?: string | undefined;
}

/** From what a caller wants to a prompt. Of what was called, nothing is looked at again. */
export async function placeOrder(
  deps: Deps,
  asked: Asked,
  wish: Wish,
): Promise<Result<RequestOutcome, Fault>> {
  const earlier = await findEarlier(deps, asked);
  if (earlier && earlier.entity.state !== "saved") return answerFor(earlier.entity);
  const payable = await describePayable(deps, asked, wish);
  if (!payable.ok) return payable;
  const judged = judgeAmount(wish.amount, payable.value);
  if (!judged.ok) return judged;
  // What could not be sent is sent now, by what is owed now.
  if (earlier) return goOn(deps, earlier, payable.value.debt, asked.deadline);
  return requestPayment(deps, asked, {
    ...payable.value,
    amount: wish.amount,
    phone: wish.phone,
    referenceid: wish.referenceid ?? payable.value.referenceid,
  });
}
