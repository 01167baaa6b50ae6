import type { Settings } from "../settings.ts";
import { type Behaviour, unprompted } from "./behaviour.ts";
import { magicBehaviour } from "./magic-numbers.ts";
import { randomBehaviour } from "./random-faults.ts";

/** How the nth request for a phone goes, counted from 1. */
export function behaviourFor(
  phone: string,
  nth: number,
  { phones, random }: Pick<Settings, "phones" | "random">,
): Behaviour {
  const chosen =
    magicBehaviour(phones[phone] ?? phone) ??
    randomBehaviour(random.rates, random.seed, phone, nth);
  const { answer } = chosen;
  if (answer.kind !== "reply" || !answer.everySecondPasses) return chosen;
  return nth % 2 === 1 ? unprompted(answer) : { ...chosen, answer: { kind: "accepted" } };
}
