import type { DeclineReason } from "../../domain/transaction/outcome.ts";
import type { PageTexts } from "../texts.ts";

type Reason = DeclineReason | "refused" | "not_sent" | "unresolved";

const keys: Readonly<Record<Reason, keyof PageTexts>> = {
  insufficient_funds: "reasonFunds",
  below_minimum: "reasonLimit",
  above_maximum: "reasonLimit",
  daily_limit: "reasonLimit",
  receiver_limit: "reasonReceiver",
  misconfigured: "reasonReceiver",
  duplicate_request: "reasonDuplicate",
  provider_busy: "reasonBusy",
  phone_busy: "reasonBusy",
  expired: "reasonUnanswered",
  not_delivered: "reasonUnanswered",
  unreachable: "reasonUnanswered",
  cancelled_by_payer: "reasonCancelled",
  wrong_pin: "reasonPin",
  pin_locked: "reasonPinLocked",
  not_sent: "reasonNotSent",
  refused: "reasonRefused",
  unresolved: "reasonUnresolved",
  other: "reasonOther",
};

/** The texts that the script shows for each `reason`, under the key `reason:<word>`. */
export function reasonTexts(texts: PageTexts): Record<string, string> {
  return Object.fromEntries(
    Object.entries(keys).map(([reason, key]) => [`reason:${reason}`, texts[key]]),
  );
}
