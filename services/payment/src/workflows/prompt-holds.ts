import { err, type Fault, fault, centsToShillings, ok, type Result, secondMs } from "@malipo/core";
import type { Deps } from "../deps.ts";
import { restingUntil } from "../domain/prompt/phone-rest.ts";
import type { Debt } from "../domain/prompt/reservation.ts";
import { debtIdOf, isAskedByPage, type Transaction } from "../domain/transaction/transaction.ts";

type HoldDeps = Pick<Deps, "service" | "phoneHolds" | "reservations">;
type TakeDeps = HoldDeps & Pick<Deps, "transactions" | "phoneRest">;

/**
 * Holds the phone for one prompt, and reserves the amount of the debt. All prompts do this before they
 * are sent. Holds that a crash leaves behind expire.
 */
export async function takeHolds(
  deps: TakeDeps,
  transaction: Transaction,
  debt: Debt | null,
): Promise<Result<void, Fault>> {
  // A business that asks for a resting phone learns nothing of the prompts of others, and stops none.
  const resting = await checkRest(deps, transaction);
  if (resting) return err(resting);
  const { phone, holder } = transaction;
  if (!(await deps.phoneHolds.hold(phone, holder))) return err(fault("phone_busy"));
  let isTaken = false;
  try {
    // A prompt releases the phone after its outcome is stored, so whoever holds it sees all outcomes.
    const refusal =
      (await checkRest(deps, transaction)) ?? (await reserveAmount(deps, transaction, debt));
    isTaken = refusal === null;
    return refusal ? err(refusal) : ok(undefined);
  } finally {
    if (!isTaken) await releaseHolds(deps, transaction);
  }
}

async function reserveAmount(
  { reservations }: TakeDeps,
  transaction: Transaction,
  debt: Debt | null,
): Promise<Fault | null> {
  const debtId = debtIdOf(transaction);
  if (debtId === null || debt === null) return null;
  const { holder, amount, id } = transaction;
  const left = await reservations.reserve(debtId, { holder, transactionid: id, amount }, debt);
  if (left === "reserved") return null;
  const shillings = Math.floor(centsToShillings(left));
  return fault("conflict", {
    text: `Only ${shillings} is left to ask for: another payment is under way`,
  });
}

/** After prompts without success the API waits, longer each time. Pages have limits of their own. */
async function checkRest(
  { transactions, phoneRest, service }: TakeDeps,
  transaction: Transaction,
): Promise<Fault | null> {
  const { businessid, phone } = transaction;
  if (isAskedByPage(transaction) || phoneRest.isExempt(phone)) return null;
  const now = service.clock();
  const recent = await transactions.recentPrompts(businessid, phone, now);
  const until = restingUntil(recent, phoneRest, now);
  if (until === null) return null;
  const retryAfterSeconds = Math.ceil((until.getTime() - now.getTime()) / secondMs);
  return fault("phone_resting", { retryAfterSeconds });
}

/** Releases what `takeHolds` took. A failure is only logged, because the holds expire soon. */
export async function releaseHolds(
  { phoneHolds, reservations, service }: HoldDeps,
  transaction: Transaction,
): Promise<void> {
  const { id, phone, holder, state } = transaction;
  const debtId = debtIdOf(transaction);
  const isPaid = state === "completed";
  await Promise.all([
    phoneHolds.release(phone, holder),
    debtId === null ? undefined : reservations.release(debtId, { holder, id, isPaid }),
  ]).catch((error: unknown) => service.log.warn({ err: error }, "hold not released"));
}
