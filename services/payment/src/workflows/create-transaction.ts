import type { RequestOutcome } from "@malipo/contracts";
import { type Cents, err, type Fault, fault, ok, type Result } from "@malipo/core";
import { type Cause, newId } from "@malipo/platform";
import { call } from "../domain/transaction/decide.ts";
import type { Deps } from "../deps.ts";
import { answerFor } from "../domain/transaction/views.ts";
import { callProvider, prompt } from "./send-prompt.ts";
import type { Debt } from "../domain/prompt/reservation.ts";
import { justInserted, type SavedTransaction } from "../store/transactions.ts";
import {
  newTransaction,
  subjectOf,
  type Purpose,
  type Transaction,
} from "../domain/transaction/transaction.ts";

/** Who is asked to pay how much, and for what. */
export interface Order {
  readonly amount: Cents;
  readonly phone: string;
  readonly referenceid: string | null;
  readonly purpose: Purpose;
  /** What is owed in all of what is paid for; null when it is for nothing in particular. */
  readonly debt: Debt | null;
  /** What the payer reads on the phone. */
  readonly title: string;
}

export interface Asked {
  readonly businessid: string;
  readonly cause: Cause;
  readonly deadline: Date;
}

/** What this request has made, if it is asked again. */
export async function findEarlier(
  { transactions }: Deps,
  { businessid, cause }: Asked,
): Promise<SavedTransaction | null> {
  if (cause.operationid === undefined) return null;
  return transactions.madeBy(businessid, cause.operationid);
}

/** Asks a phone to pay. */
export async function requestPayment(
  deps: Deps,
  asked: Asked,
  order: Order,
): Promise<Result<RequestOutcome, Fault>> {
  const { transactions, accounts } = deps;
  const { businessid, cause, deadline } = asked;
  const account = await accounts.inUse(businessid);
  if (!account) return err(fault("payment_method_not_configured"));
  const id = newId();
  const draft = newTransaction(
    id,
    businessid,
    {
      amount: order.amount,
      phone: order.phone,
      referenceid: order.referenceid,
      title: order.title,
      settingsid: account.settingsid,
      // A repetition finds its own hold, also when the first attempt left nothing else behind.
      holder: cause.operationid ?? id,
      ...order.purpose,
    },
    cause.now,
  );
  const held = await takeHolds(deps, draft, order.debt);
  if (!held.ok) return held;
  // Whoever inserts it is the one to call: saved and calling are one write.
  const calling = call(draft, deps.service.clock())?.entity ?? draft;
  const saved = await transactions.insert(calling, [], cause);
  if (saved.id === id) return callProvider(deps, justInserted(saved), account.account, deadline);
  // Another attempt at the same operation was faster.
  const known = await transactions.get(saved.id);
  return known ? goOn(deps, known, order.debt, deadline) : answerFor(saved);
}

/**
 * Only what is saved and not called yet goes on, and holds anew what is owed now; all else is
 * answered from what it has become, and nothing is held or prompted twice.
 */
export async function goOn(
  deps: Deps,
  known: SavedTransaction,
  debt: Debt | null,
  deadline: Date,
): Promise<Result<RequestOutcome, Fault>> {
  const transaction = known.entity;
  if (transaction.state !== "saved") return answerFor(transaction);
  const account = await deps.accounts.of(transaction.settingsid);
  if (!account) return err(fault("payment_method_not_configured"));
  const held = await takeHolds(deps, transaction, debt);
  if (!held.ok) return held;
  return prompt(deps, known, account, deadline);
}

/** One prompt a phone, and no more than is owed; what a crash leaves held ends by itself. */
async function takeHolds(
  { phoneHolds, reservations }: Deps,
  transaction: Transaction,
  debt: Debt | null,
): Promise<Result<void, Fault>> {
  const { phone, holder, amount, id } = transaction;
  if (!(await phoneHolds.hold(phone, holder))) return err(fault("phone_busy"));
  const [subject] = subjectOf(transaction);
  if (subject === undefined || debt === null) return ok(undefined);
  const rest = await reservations.reserve(subject, { holder, transactionid: id, amount }, debt);
  if (rest === "reserved") return ok(undefined);
  await phoneHolds.release(phone, holder);
  const left = Math.floor(rest / 100);
  return err(
    fault("conflict", { text: `Only ${left} is left to ask for: another payment is under way` }),
  );
}
