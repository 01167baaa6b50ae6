import type { PaymentRequestView } from "@malipo/contracts";
import { err, type Fault, fault, centsToShillings, type Result, secondMs } from "@malipo/core";
import { isStoreAway, currentTrace } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import type { ProviderAccount } from "../domain/payment-method.ts";
import { acceptPrompt, markAnswerLost } from "../domain/transaction/answers.ts";
import { refuse, returnToUnsent } from "../domain/transaction/decide.ts";
import type { PromptAnswer } from "../domain/transaction/outcome.ts";
import type { Transaction } from "../domain/transaction/transaction.ts";
import { outcomeUnknown, viewPaymentRequest } from "../domain/transaction/views.ts";
import type { StoredTransaction } from "../store/transaction-document.ts";
import { applyDecision, type Decide } from "./apply-decision.ts";
import { releaseHolds } from "./prompt-holds.ts";

const providerTimeoutMs = 25 * secondMs;
/** Time for storing the provider's answer and for replying. */
const afterAnswerMs = 2 * secondMs;

/**
 * Calls the provider, stores its answer and replies. Only the process that stored the state `calling` may
 * call this, and only once.
 */
export async function sendPrompt(
  deps: Deps,
  called: StoredTransaction,
  account: ProviderAccount,
  deadline: Date,
): Promise<Result<PaymentRequestView, Fault>> {
  const answer = await callProvider(deps, called.entity, account, deadline);
  deps.metrics.prompts.inc({ answer: answer.kind });
  const reply = storeAnswer(deps, called, answer);
  return replyInTime(reply, called.entity.id, deadline, deps.service.clock());
}

async function callProvider(
  { service, provider, callbackUrl }: Deps,
  { id, amount, phone, referenceid, title }: Transaction,
  account: ProviderAccount,
  deadline: Date,
): Promise<PromptAnswer> {
  // Checked right before the call: a process that was paused must not prompt for a caller that has left.
  const leftMs = deadline.getTime() - service.clock().getTime() - afterAnswerMs;
  if (leftMs <= 0) return { kind: "not sent", details: "no time was left" };
  const prompt = {
    shillings: centsToShillings(amount),
    phone,
    callbackUrl: callbackUrl(id),
    reference: referenceid ?? title,
    description: title,
  };
  const span = service.tracer?.start({
    name: "prompt mpesa",
    kind: "client",
    parent: currentTrace(),
    attributes: { "malipo.transaction.id": id },
  });
  try {
    const answer = await provider.prompt(account, prompt, Math.min(providerTimeoutMs, leftMs));
    span?.end({ attributes: { "malipo.answer": answer.kind } });
    return answer;
  } catch (error) {
    span?.end({ problem: "an error of ours" });
    service.log.error({ err: error, transactionid: id }, "provider call failed");
    return { kind: "unknown", details: "an error of ours" };
  }
}

async function storeAnswer(
  deps: Deps,
  called: StoredTransaction,
  answer: PromptAnswer,
): Promise<Result<PaymentRequestView, Fault>> {
  const after = await storeWhenPossible(deps, called, decisionOn(answer));
  if (answer.kind !== "not sent") return viewPaymentRequest(after);
  // A callback proved that the prompt was sent after all.
  if (after.state !== "unsent") return viewPaymentRequest(after);
  await releaseHolds(deps, after);
  return err(fault("provider_unreachable", { details: answer.details }));
}

/** If a callback has overtaken a refusal or a failed send, that answer counts as lost. */
function decisionOn(answer: PromptAnswer): Decide {
  switch (answer.kind) {
    case "accepted":
      return (transaction, now, isReceiptTaken) =>
        acceptPrompt(transaction, answer, now, isReceiptTaken);
    case "refused":
      return (transaction, now) =>
        refuse(transaction, answer.details, now) ?? markAnswerLost(transaction, now);
    case "not sent":
      return (transaction, now) =>
        returnToUnsent(transaction, now) ?? markAnswerLost(transaction, now);
    default:
      return markAnswerLost;
  }
}

/** No other process knows the answer, so it waits for the store and stores the answer then. */
async function storeWhenPossible(
  deps: Deps,
  called: StoredTransaction,
  decide: Decide,
): Promise<Transaction> {
  const { store, shutdown } = deps.service;
  for (;;) {
    try {
      const applied = await applyDecision(deps, called.entity.id, decide, called);
      return applied?.transaction ?? called.entity;
    } catch (error) {
      if (!isStoreAway(error) || shutdown.signal.aborted) throw error;
      await store.untilBack(shutdown.signal);
    }
  }
}

/** Replies before the deadline, if need be with "outcome unknown" and the transaction's id. */
async function replyInTime(
  reply: Promise<Result<PaymentRequestView, Fault>>,
  id: string,
  deadline: Date,
  now: Date,
): Promise<Result<PaymentRequestView, Fault>> {
  const late = Promise.withResolvers<Result<PaymentRequestView, Fault>>();
  const leftMs = deadline.getTime() - now.getTime() - secondMs / 2;
  const timer = setTimeout(() => late.resolve(err(outcomeUnknown(id))), Math.max(0, leftMs));
  const stored = reply.catch((error: unknown) => {
    if (isStoreAway(error))
      return err(outcomeUnknown(id, "the answer of the provider is not stored yet"));
    throw error;
  });
  try {
    return await Promise.race([stored, late.promise]);
  } finally {
    clearTimeout(timer);
    // If storing fails after the reply, the reconciliation job finds the transaction.
    stored.catch(() => undefined);
  }
}
