import { calls, type Payable } from "@malipo/contracts";
import { addMs, cents, err, type Fault, notFound, ok, type Result, secondMs } from "@malipo/core";
import { callService } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import type { PaymentLink } from "../domain/payment-link.ts";
import { promptAmountFor } from "../domain/prompt/amounts.ts";
import {
  owedOn,
  type PaymentTarget,
  plainPayment,
  targetInvoice,
  targetLink,
} from "../domain/prompt/payment-target.ts";

interface NamedTarget {
  readonly invoiceid?: string | undefined;
  readonly paymentlinkid?: string | undefined;
}

interface AskingFor {
  readonly businessid: string;
  readonly deadline: Date;
}

/** The rest of the deadline belongs to the provider. */
const invoiceTimeoutMs = 4 * secondMs;

/** Finds out what a payment is for and what is owed now. The owner of the debt is asked each time. */
export async function findPaymentTarget(
  deps: Deps,
  asking: AskingFor,
  { invoiceid, paymentlinkid }: NamedTarget,
): Promise<Result<PaymentTarget, Fault>> {
  if (invoiceid !== undefined) return targetOf(await askInvoice(deps, asking, invoiceid));
  if (paymentlinkid === undefined) return ok(plainPayment);
  const found = await deps.links.find(asking.businessid, paymentlinkid);
  if (found?.entity.owner === "standalone") {
    return targetLink(found.entity, deps.service.clock());
  }
  // An invoice's link has the invoice's id. Its event may not have arrived here yet.
  const answer = await askInvoice(deps, asking, paymentlinkid);
  return isNotFound(answer) ? err(notFound("payment link")) : targetOf(answer);
}

/** A link with what it asks for now. */
export async function describeLink(
  deps: Deps,
  asking: AskingFor,
  id: string,
): Promise<Result<PaymentLink, Fault>> {
  const found = await deps.links.find(asking.businessid, id);
  if (found?.entity.owner === "standalone") return ok(found.entity);
  const answer = await askInvoice(deps, asking, id);
  if (isNotFound(answer)) return err(notFound("payment link"));
  if (!answer.ok) return found ? ok(found.entity) : answer;
  const { invoiceid, link, title, subscriptionid } = answer.value;
  const now = deps.service.clock();
  const amount = owedOn(answer.value);
  return ok({
    ...(found?.entity ?? {
      id: link._id,
      businessid: asking.businessid,
      owner: "invoice",
      code: link.code,
      description: null,
      reusable: false,
      expiresat: null,
      referenceid: null,
      invoiceid,
      subscriptionid,
      heardseq: 0,
      createdat: now,
      updatedat: now,
    }),
    title,
    amount: amount > 0 ? promptAmountFor(amount) : cents(0),
    status: link.status === "expired" ? "cancelled" : link.status,
  });
}

function targetOf(answer: Result<Payable, Fault>): Result<PaymentTarget, Fault> {
  return answer.ok ? targetInvoice(answer.value) : answer;
}

function isNotFound(answer: Result<unknown, Fault>): boolean {
  return !answer.ok && answer.error.code === "not_found";
}

function askInvoice({ service }: Deps, { businessid, deadline }: AskingFor, invoiceid: string) {
  const timeout = addMs(service.clock(), invoiceTimeoutMs);
  return callService(service, calls.describePayable, {
    businessid,
    body: { invoiceid },
    deadline: timeout < deadline ? timeout : deadline,
  });
}
