import { createHash } from "node:crypto";
import {
  type Behaviour,
  buildBehaviour,
  buildUnprompted,
  callbackAtEnd,
  type CallbackBody,
  concurrentCallback,
  type PlannedCallback,
  type PushAnswer,
  type QueryAnswer,
} from "./behaviour.ts";
import { alterAddress, withOtherIds, withPrefix, withStrings } from "./callback-bodies.ts";

/** Faults that can happen at random to phone numbers that are not magic. */
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

/** Returns a number from 0 to 1 that depends on the seed and the keys alone. */
export function drawFraction(seed: number, ...keys: readonly (string | number)[]): number {
  const digest = createHash("sha256")
    .update([seed, ...keys].join(":"))
    .digest();
  return digest.readUInt32BE() / 2 ** 32;
}

const answersOfNotSent: readonly PushAnswer[] = [
  { kind: "cut" },
  { kind: "silence" },
  { kind: "reply", reply: "html503" },
  { kind: "reply", reply: "internalError" },
  { kind: "reply", reply: "spikeArrest" },
  { kind: "reply", reply: "gatewayTimeout" },
];
const answersOfLost: readonly PushAnswer[] = [
  { kind: "cut" },
  { kind: "torn" },
  { kind: "silence" },
  { kind: "reply", reply: "html503" },
  { kind: "reply", reply: "internalError" },
  { kind: "reply", reply: "html200" },
];
const failures = ["1", "1032", "1037", "1019", "2001"];
const bodyVariations = [withStrings, withPrefix];

/**
 * Draws the faults of one request. The keys name the request: its faults depend on them and the seed
 * alone, and not on other requests.
 */
export function drawBehaviour(
  rates: FaultRates,
  seed: number,
  ...keys: readonly (string | number)[]
): Behaviour {
  const happens = (fault: Fault) =>
    rates[fault] > 0 && drawFraction(seed, fault, ...keys) < rates[fault];
  const drawOne = <Choice>(choices: readonly Choice[], purpose: string): Choice => {
    const choice = choices[Math.floor(drawFraction(seed, purpose, ...keys) * choices.length)];
    if (choice === undefined) throw new Error(`there is no choice of ${purpose}`);
    return choice;
  };
  if (happens("refused")) return buildUnprompted({ kind: "refused", responseCode: "1" });
  if (happens("notSent")) return buildUnprompted(drawOne(answersOfNotSent, "not sent"));
  const result = happens("failed") ? drawOne(failures, "failure") : "0";
  return buildBehaviour({
    answer: happens("answerLost")
      ? drawOne(answersOfLost, "answer lost")
      : { kind: "accepted", slow: happens("answerSlow") },
    result,
    callbacks: planCallbacks(happens, result, drawOne(bodyVariations, "variation")),
    query: chooseQueryAnswer(happens, result),
  });
}

type Happens = (fault: Fault) => boolean;

function planCallbacks(
  happens: Happens,
  result: string,
  bodyVariation: CallbackBody,
): PlannedCallback[] {
  const genuine: PlannedCallback = {
    when: chooseTime(happens),
    ...(happens("callbackVaries") && { writeBody: bodyVariation }),
  };
  const forged: readonly PlannedCallback[] = [
    { ...callbackAtEnd, reportedResult: "0", writeBody: withOtherIds },
    { ...callbackAtEnd, reportedResult: "0", changeAddress: alterAddress },
  ];
  const contradiction = { ...callbackAtEnd, reportedResult: contradict(result) };
  return [
    ...(happens("forged") ? forged : []),
    ...(happens("callbackContradicts") ? [contradiction] : []),
    ...(happens("callbackLost") ? [] : [genuine]),
    ...(happens("callbackTwice") ? [concurrentCallback] : []),
  ];
}

function chooseTime(happens: Happens): PlannedCallback["when"] {
  if (happens("callbackEarly")) return "early";
  if (happens("callbackLate")) return "late";
  return happens("callbackOvertaken") ? "overtaken" : "ended";
}

function chooseQueryAnswer(happens: Happens, result: string): QueryAnswer {
  if (happens("queryContradicts")) {
    return { kind: "false-result", result: contradict(result), duration: "temporary" };
  }
  return happens("queryProcessing")
    ? { kind: "processing-error", duration: "temporary" }
    : { kind: "true-result" };
}

/**
 * Returns a result that contradicts the true one. It never claims that a failed payment succeeded: a
 * merchant could not detect that, and M-Pesa has not been seen to do it.
 */
function contradict(result: string): string {
  return result === "0" ? "1032" : "1037";
}
