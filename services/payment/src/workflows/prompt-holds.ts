import { err, type Fault, fault, centsToShillings, ok, type Result } from "@malipo/core";
import type { Deps } from "../deps.ts";
import type { Debt } from "../domain/prompt/reservation.ts";
import { debtIdOf, type Transaction } from "../domain/transaction/transaction.ts";

type HoldDeps = Pick<Deps, "service" | "phoneHolds" | "reservations">;

/**
 * Holds the phone for one prompt, and reserves the amount of the debt. All prompts do this before they
 * are sent. Holds that a crash leaves behind expire.
 */
export async function takeHolds(
  { phoneHolds, reservations }: HoldDeps,
  transaction: Transaction,
  debt: Debt | null,
): Promise<Result<void, Fault>> {
  const { phone, holder, amount, id } = transaction;
  if (!(await phoneHolds.hold(phone, holder))) return err(fault("phone_busy"));
  const debtId = debtIdOf(transaction);
  if (debtId === null || debt === null) return ok(undefined);
  const left = await reservations.reserve(debtId, { holder, transactionid: id, amount }, debt);
  if (left === "reserved") return ok(undefined);
  await phoneHolds.release(phone, holder);
  const shillings = Math.floor(centsToShillings(left));
  return err(
    fault("conflict", {
      text: `Only ${shillings} is left to ask for: another payment is under way`,
    }),
  );
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
