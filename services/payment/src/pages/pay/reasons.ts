import type { DeclineReason } from "../../providers/daraja/result-codes.ts";
import type { Words } from "../words.ts";

type Reason = DeclineReason | "refused" | "not_sent" | "unresolved";

const keys: Readonly<Record<Reason, keyof Words>> = {
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

/** Why a payment did not come about, for the script: `reason:<word>` → what it says. */
export function reasonWords(say: Words): Record<string, string> {
  return Object.fromEntries(
    Object.entries(keys).map(([reason, key]) => [`reason:${reason}`, say[key]]),
  );
}
