import { createHash } from "node:crypto";
import {
  again,
  type Behaviour,
  behaviour,
  type Delivery,
  ended,
  type PushAnswer,
  type QueryPlan,
  unprompted,
} from "./behaviour.ts";
import { alteredAddress, withOtherIds, withPrefix, withStrings } from "./callback-bodies.ts";

/** What can be made to happen at random to numbers that are not magic. */
export const faultNames = [
  "tokenRevoked",
  "refused",
  "notSent",
  "answerLost",
  "answerSlow",
  "failed",
  "callbackLost",
  "callbackLate",
  "callbackEarly",
  "callbackTwice",
  "callbackOvertaken",
  "callbackContradicts",
  "callbackVaries",
  "forged",
  "queryFails",
  "queryProcessing",
  "queryContradicts",
] as const;

type Fault = (typeof faultNames)[number];
export type FaultRates = Readonly<Record<Fault, number>>;

/** From 0 to 1, and always the same for the same words. */
export function draw(seed: number, ...words: readonly (string | number)[]): number {
  const digest = createHash("sha256")
    .update([seed, ...words].join(":"))
    .digest();
  return digest.readUInt32BE() / 2 ** 32;
}

const notSent: readonly PushAnswer[] = [
  { kind: "cut" },
  { kind: "silence" },
  { kind: "reply", reply: "html503" },
  { kind: "reply", reply: "internalError" },
  { kind: "reply", reply: "spikeArrest" },
  { kind: "reply", reply: "gatewayTimeout" },
];
const answerLost: readonly PushAnswer[] = [
  { kind: "cut" },
  { kind: "torn" },
  { kind: "silence" },
  { kind: "reply", reply: "html503" },
  { kind: "reply", reply: "internalError" },
  { kind: "reply", reply: "html200" },
];
const failures = ["1", "1032", "1037", "1019", "2001"];
const variations = [withStrings, withPrefix];

/** `words` name the request, so that its faults do not depend on what else goes on. */
export function randomBehaviour(
  rates: FaultRates,
  seed: number,
  ...words: readonly (string | number)[]
): Behaviour {
  const happens = (fault: Fault) => rates[fault] > 0 && draw(seed, fault, ...words) < rates[fault];
  const oneOf = <Choice>(choices: readonly Choice[], what: string): Choice => {
    const choice = choices[Math.floor(draw(seed, what, ...words) * choices.length)];
    if (choice === undefined) throw new Error(`no choice of ${what}`);
    return choice;
  };
  if (happens("refused")) return unprompted({ kind: "refused", responseCode: "1" });
  if (happens("notSent")) return unprompted(oneOf(notSent, "not sent"));
  const result = happens("failed") ? oneOf(failures, "failure") : "0";
  return behaviour({
    answer: happens("answerLost")
      ? oneOf(answerLost, "answer lost")
      : { kind: "accepted", slow: happens("answerSlow") },
    result,
    deliveries: deliveries(happens, result, oneOf(variations, "variation")),
    query: query(happens, result),
  });
}

type Happens = (fault: Fault) => boolean;

function deliveries(
  happens: Happens,
  result: string,
  variation: NonNullable<Delivery["write"]>,
): Delivery[] {
  const when = happens("callbackEarly")
    ? "early"
    : happens("callbackLate")
      ? "late"
      : happens("callbackOvertaken")
        ? "overtaken"
        : "ended";
  const genuine: Delivery = { when, ...(happens("callbackVaries") && { write: variation }) };
  const opposite: Delivery = { ...ended, says: oppositeOf(result) };
  return [
    ...(happens("forged")
      ? [
          { ...ended, says: "0", write: withOtherIds },
          { ...ended, says: "0", address: alteredAddress },
        ]
      : []),
    ...(happens("callbackContradicts") ? [opposite] : []),
    ...(happens("callbackLost") ? [] : [genuine]),
    ...(happens("callbackTwice") ? [again] : []),
  ];
}

function query(happens: Happens, result: string): QueryPlan {
  if (happens("queryContradicts")) {
    return { kind: "says", result: oppositeOf(result), until: "a-while" };
  }
  return happens("queryProcessing") ? { kind: "processing", until: "a-while" } : { kind: "truth" };
}

/**
 * Never that a payment was made when it was not: nothing could tell such a tale from a true one, and
 * M-Pesa has not been seen to tell it.
 */
function oppositeOf(result: string): string {
  return result === "0" ? "1032" : "1037";
}
