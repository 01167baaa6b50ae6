import type { CallbackMessage } from "@malipo/contracts";
import { addMs, secondMs } from "@malipo/core";
import type { CallbackHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { receiveCallback } from "../domain/transaction/callback.ts";
import { changeOnly } from "../domain/transaction/decide.ts";
import { addToSuspense, applyDecision } from "./apply-decision.ts";
import { fillReceiptNumber } from "./fill-receipt-number.ts";

/** Longer than any result code. A callback may come from anyone, so the log bounds its content. */
const loggedCodeMax = 40;

/**
 * Handles the provider's callbacks from the stream: stores each one as it came, then applies it to its
 * transaction. Both are harmless when a callback comes again.
 */
export function applyCallbacks(deps: Deps): CallbackHandler {
  return async (messages) => {
    await deps.callbacks.insert(messages);
    const byTransaction = Map.groupBy(messages, ({ transactionid }) => transactionid);
    await Promise.all(
      [...byTransaction.values()].map(async (ofOne) => {
        for (const message of ofOne) await applyCallbackMessage(deps, message);
      }),
    );
    return [];
  };
}

async function applyCallbackMessage(
  deps: Deps,
  { transactionid, address, body }: CallbackMessage,
): Promise<void> {
  const callback = deps.provider.readCallback(Buffer.from(body, "base64"));
  if (!callback) return querySoon(deps, transactionid);
  if (callback.result === "other" || callback.code === "") {
    const code = callback.code.slice(0, loggedCodeMax);
    deps.service.log.warn({ transactionid, code }, "unknown result code");
  }
  const trusted = deps.isProviderAddress(address);
  const applied = await applyDecision(deps, transactionid, (transaction, now, isReceiptTaken) =>
    receiveCallback(transaction, callback, { trusted, isReceiptTaken }, now),
  );
  if (callback.result !== "paid") return;
  if (!applied) {
    const unknown = { id: transactionid, businessid: null };
    return addToSuspense(deps, { kind: "unknown_request", callback }, unknown);
  }
  // A decision with events has just completed the payment. Its receipt is issued with the number.
  const hasEvents = applied.decision !== null && applied.decision.events.length > 0;
  if (!hasEvents) await fillReceiptNumber(deps, applied.transaction);
}

/** The sender knows the token, but the body is no callback. The provider is queried in a second. */
async function querySoon(deps: Deps, transactionid: string): Promise<void> {
  await applyDecision(deps, transactionid, (transaction, now) =>
    transaction.state === "prompted" && !transaction.inSuspense
      ? changeOnly({ ...transaction, nextquery: addMs(now, secondMs) })
      : null,
  );
}
