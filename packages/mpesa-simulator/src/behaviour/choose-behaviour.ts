import { type Behaviour, buildUnprompted } from "./behaviour.ts";
import { findMagicBehaviour } from "./magic-numbers.ts";
import { drawBehaviour, type FaultRates } from "./random-faults.ts";

export interface BehaviourSettings {
  /** The magic number that a phone behaves like, by phone number. */
  readonly phones: Readonly<Record<string, string>>;
  readonly random: { readonly seed: number; readonly rates: FaultRates };
}

/** Chooses how a request goes. `requestNumber` counts the requests for the phone, from 1. */
export function chooseBehaviour(
  phone: string,
  requestNumber: number,
  { phones, random }: BehaviourSettings,
): Behaviour {
  const chosen =
    findMagicBehaviour(phones[phone] ?? phone) ??
    drawBehaviour(random.rates, random.seed, phone, requestNumber);
  const { answer } = chosen;
  if (answer.kind !== "reply" || !answer.everySecondPasses) return chosen;
  const isFailing = requestNumber % 2 === 1;
  return isFailing ? buildUnprompted(answer) : { ...chosen, answer: { kind: "accepted" } };
}
