import type { PaymentRequestView } from "@malipo/contracts";
import { type Cents, err, type Fault, fault, type Result } from "@malipo/core";
import { type Cause, insertedRecord, newId, savedRecord, VersionConflict } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { checkAmount } from "../domain/prompt/payment-target.ts";
import type { Debt } from "../domain/prompt/reservation.ts";
import { noVisitor, type Visitor } from "../domain/visitor.ts";
import { startCall } from "../domain/transaction/decide.ts";
import {
  newTransaction,
  type Purpose,
  type Transaction,
} from "../domain/transaction/transaction.ts";
import { viewPaymentRequest } from "../domain/transaction/views.ts";
import type { StoredTransaction } from "../store/transaction-document.ts";
import { findPaymentTarget } from "./find-payment-target.ts";
import { takeHolds } from "./prompt-holds.ts";
import { sendPrompt } from "./send-prompt.ts";

/** The business, the operation and the deadline of a request for a payment. */
export interface PromptContext {
  readonly businessid: string;
  readonly cause: Cause;
  readonly deadline: Date;
}

/** The content of a request for a payment. */
interface PaymentRequest {
  readonly amount: Cents;
  readonly phone: string;
  readonly referenceid?: string | undefined;
  readonly invoiceid?: string | undefined;
  readonly paymentlinkid?: string | undefined;
}

/** A checked request: who is asked to pay how much, and for what. */
export interface PaymentOrder extends Visitor {
  readonly amount: Cents;
  readonly phone: string;
  readonly referenceid: string | null;
  readonly purpose: Purpose;
  /** The debt that the amount is a part of; null when there is none. */
  readonly debt: Debt | null;
  /** The text that the payer reads on the phone. */
  readonly title: string;
}

/**
 * Checks a request, creates its transaction and prompts the phone. A repeated request is answered from
 * its transaction. If that is still unsent, everything is checked again before it is sent.
 */
export async function createTransaction(
  deps: Deps,
  context: PromptContext,
  request: PaymentRequest,
): Promise<Result<PaymentRequestView, Fault>> {
  const earlier = await findByOperation(deps, context);
  if (earlier && earlier.entity.state !== "unsent") return viewPaymentRequest(earlier.entity);
  const target = await findPaymentTarget(deps, context, request);
  if (!target.ok) return target;
  const { purpose, debt, title, referenceid } = target.value;
  const checked = checkAmount(request.amount, target.value);
  if (!checked.ok) return checked;
  if (earlier) return resumePrompt(deps, earlier, debt, context.deadline);
  return promptNewTransaction(deps, context, {
    amount: request.amount,
    phone: request.phone,
    referenceid: request.referenceid ?? referenceid,
    purpose,
    debt,
    title,
    ...noVisitor,
  });
}

/** The transaction of an earlier attempt of the same operation. */
export async function findByOperation(
  { transactions }: Deps,
  { businessid, cause }: PromptContext,
): Promise<StoredTransaction | null> {
  if (cause.operationid === undefined) return null;
  return transactions.findByOperation(businessid, cause.operationid);
}

/** Creates a transaction and prompts its phone. */
export async function promptNewTransaction(
  deps: Deps,
  { businessid, cause, deadline }: PromptContext,
  { purpose, debt, ...order }: PaymentOrder,
): Promise<Result<PaymentRequestView, Fault>> {
  const { transactions, accounts, service } = deps;
  const account = await accounts.forNewPayment(businessid);
  if (!account) return err(fault("payment_method_not_configured"));
  const id = newId();
  // The operation is the holder, so a repetition finds the holds of an attempt that crashed.
  const holder = cause.operationid ?? id;
  const draft = { ...order, ...purpose, holder, settingsid: account.settingsid };
  const unsent = newTransaction(id, businessid, draft, cause.now);
  const held = await takeHolds(deps, unsent, debt);
  if (!held.ok) return held;
  // One write inserts the transaction and starts the call, so only the inserting process calls.
  const calling = startCall(unsent, service.clock())?.entity ?? unsent;
  const inserted = await transactions.insert(calling, cause);
  if (inserted.id === id) {
    return sendPrompt(deps, insertedRecord(inserted), account.account, deadline);
  }
  // Another attempt of the same operation inserted its transaction first.
  const first = await transactions.get(inserted.id);
  return first ? resumePrompt(deps, first, debt, deadline) : viewPaymentRequest(inserted);
}

/**
 * Sends the prompt of a transaction that is still unsent, and holds its phone and amount again. Any other
 * transaction is only shown, so nothing is prompted twice.
 */
export async function resumePrompt(
  deps: Deps,
  found: StoredTransaction,
  debt: Debt | null,
  deadline: Date,
): Promise<Result<PaymentRequestView, Fault>> {
  const transaction = found.entity;
  if (transaction.state !== "unsent") return viewPaymentRequest(transaction);
  const account = await deps.accounts.forSettings(transaction.settingsid);
  if (!account) return err(fault("payment_method_not_configured"));
  const held = await takeHolds(deps, transaction, debt);
  if (!held.ok) return held;
  const calling = await saveStartOfCall(deps, found);
  if ("stored" in calling) return sendPrompt(deps, calling.stored, account, deadline);
  return viewPaymentRequest(calling.other);
}

/** Stores the state `calling`. One process succeeds; `other` is what another process made of it. */
async function saveStartOfCall(
  { transactions, service }: Deps,
  found: StoredTransaction,
): Promise<{ readonly stored: StoredTransaction } | { readonly other: Transaction }> {
  const calling = startCall(found.entity, service.clock());
  if (!calling) return { other: found.entity };
  try {
    await transactions.save(found, calling, { now: service.clock() });
    return { stored: savedRecord(found, calling.entity) };
  } catch (error) {
    if (!(error instanceof VersionConflict)) throw error;
    const winner = await transactions.get(found.entity.id);
    return { other: winner?.entity ?? found.entity };
  }
}
