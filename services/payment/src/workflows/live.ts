import { attemptPattern, type LiveMessage, liveSubject } from "@malipo/contracts";
import type { Service } from "@malipo/platform";
import { isPending, type Transaction } from "../domain/transaction/transaction.ts";

/** A word to the page that asked for this payment, if one did and is still open. */
export function tellPage(
  { wire, config }: Pick<Service, "wire" | "config">,
  transaction: Transaction,
): void {
  if (!attemptPattern.test(transaction.holder)) return;
  const message: LiveMessage = { ended: !isPending(transaction) };
  wire.nats.publish(liveSubject(config.NAMESPACE, transaction.holder), JSON.stringify(message));
}
