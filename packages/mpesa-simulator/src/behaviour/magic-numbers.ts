import type { SandboxNumber } from "@malipo/contracts";
import type { ReplyName } from "../daraja/replies.ts";
import {
  type Behaviour,
  buildBehaviour,
  buildUnprompted,
  callbackAtEnd,
  type CallbackBody,
  concurrentCallback,
  type PlannedCallback,
  type PushAnswer,
} from "./behaviour.ts";
import {
  alterAddress,
  emptyBody,
  notJson,
  otherJson,
  withMaskedPhone,
  withOtherIds,
  withOtherMerchantRequestId,
  withoutItem,
  withoutMetadata,
  withPrefix,
  withReversedAndUnknownItems,
  withStringCode,
  withStrings,
  withValue,
} from "./callback-bodies.ts";

/** The magic numbers whose digits alone do not give the behaviour. */
type ScriptedNumber = Exclude<SandboxNumber, `2547000${string}` | `2547001000${string}`>;

const cancelled = "1032";
const unreachable = "1037";
const silence = { kind: "silence" } as const;
const cut = { kind: "cut" } as const;

const failsWith = (reply: ReplyName): Behaviour => buildUnprompted({ kind: "reply", reply });
const failsEverySecondTimeWith = (reply: ReplyName): Behaviour =>
  buildBehaviour({ answer: { kind: "reply", reply, everySecondPasses: true } });
const promptsAndAnswers = (answer: PushAnswer): Behaviour => buildBehaviour({ answer });
const losesCallback = (overrides: Partial<Behaviour>): Behaviour =>
  buildBehaviour({ callbacks: [], ...overrides });
const sendsBody = (writeBody: CallbackBody): Behaviour =>
  buildBehaviour({ callbacks: [{ ...callbackAtEnd, writeBody }] });
const isForgedWith = (forgery: Partial<PlannedCallback>): Behaviour =>
  buildBehaviour({
    result: cancelled,
    callbacks: [{ ...callbackAtEnd, reportedResult: "0", ...forgery }, callbackAtEnd],
  });

const scripted: Readonly<Record<ScriptedNumber, Behaviour>> = {
  "254700100100": failsWith("html503"),
  "254700100101": failsWith("internalError"),
  "254700100102": failsWith("spikeArrest"),
  "254700100103": failsWith("systemBusy"),
  "254700100104": failsWith("quotaViolation"),
  "254700100105": failsWith("subscriberLocked"),
  "254700100106": failsWith("prefixedWrongCredentials"),
  "254700100107": failsWith("unknownMerchant"),
  "254700100108": failsWith("gatewayTimeout"),
  "254700100109": failsWith("gatewaySpikeArrest"),
  "254700100110": failsEverySecondTimeWith("invalidToken404"),
  "254700100111": failsEverySecondTimeWith("invalidToken401"),
  "254700100112": failsEverySecondTimeWith("invalidToken400"),
  "254700100113": failsEverySecondTimeWith("gatewayInvalidToken"),
  "254700100114": failsWith("invalidToken404"),
  "254700100115": failsWith("html200"),
  "254700100116": failsWith("empty200"),
  "254700100117": failsWith("invalidAmount"),

  "254700100200": buildUnprompted(cut),
  "254700100201": buildUnprompted(silence),
  "254700100202": promptsAndAnswers(silence),
  "254700100203": promptsAndAnswers(cut),
  "254700100204": promptsAndAnswers({ kind: "reply", reply: "html503" }),
  "254700100205": promptsAndAnswers({ kind: "reply", reply: "internalError" }),
  "254700100206": promptsAndAnswers({ kind: "torn" }),
  "254700100207": buildBehaviour({ answer: silence, result: cancelled }),
  "254700100208": losesCallback({ answer: silence }),
  "254700100209": promptsAndAnswers({ kind: "reply", reply: "html200" }),
  "254700100210": promptsAndAnswers({ kind: "accepted", slow: true }),
  "254700100211": buildBehaviour({ answer: { kind: "accepted", slow: true }, result: cancelled }),

  "254700100300": losesCallback({}),
  "254700100301": losesCallback({ result: cancelled }),
  "254700100302": buildBehaviour({ callbacks: [{ when: "late" }] }),
  "254700100303": buildBehaviour({ result: cancelled, callbacks: [{ when: "late" }] }),
  "254700100304": buildBehaviour({
    callbacks: [callbackAtEnd, concurrentCallback, concurrentCallback],
  }),
  "254700100305": buildBehaviour({ callbacks: [callbackAtEnd, { when: "late" }] }),
  "254700100306": buildBehaviour({ callbacks: [{ when: "early" }] }),
  "254700100307": buildBehaviour({ result: cancelled, callbacks: [{ when: "early" }] }),
  "254700100308": buildBehaviour({ callbacks: [{ when: "overtaken" }] }),
  "254700100310": buildBehaviour({
    callbacks: [callbackAtEnd, { ...callbackAtEnd, reportedResult: cancelled }],
  }),
  "254700100311": buildBehaviour({
    callbacks: [{ ...callbackAtEnd, reportedResult: cancelled }, callbackAtEnd],
  }),
  "254700100312": buildBehaviour({
    callbacks: [{ ...callbackAtEnd, reportedResult: unreachable }, { when: "late" }],
    query: { kind: "false-result", result: unreachable, duration: "temporary" },
  }),
  "254700100313": buildBehaviour({
    callbacks: [callbackAtEnd, { ...concurrentCallback, reportedResult: cancelled }],
  }),

  "254700100400": buildBehaviour({
    query: { kind: "false-result", result: cancelled, duration: "permanent" },
  }),
  "254700100401": buildBehaviour({ callbacks: [{ ...callbackAtEnd, reportedResult: cancelled }] }),
  "254700100402": losesCallback({ query: { kind: "processing-error", duration: "permanent" } }),
  "254700100403": losesCallback({ query: { kind: "processing-error", duration: "temporary" } }),
  "254700100404": losesCallback({ query: { kind: "processing-result" } }),
  "254700100405": losesCallback({ query: { kind: "reply", reply: "spikeArrest" } }),
  "254700100406": losesCallback({ query: { kind: "reply", reply: "html503" } }),
  "254700100407": losesCallback({ query: silence }),
  "254700100408": losesCallback({
    query: { kind: "reply", reply: "invalidToken404", everySecondPasses: true },
  }),
  "254700100409": losesCallback({ query: { kind: "unknown-id" } }),
  "254700100410": buildBehaviour({
    callbacks: [{ when: "late" }],
    query: { kind: "false-result", result: unreachable, duration: "temporary" },
  }),

  "254700100500": sendsBody(withValue("Amount", (amount) => Number(amount) - 1)),
  "254700100501": sendsBody(withValue("Amount", (amount) => Number(amount) + 1)),
  "254700100502": sendsBody(withoutItem("MpesaReceiptNumber")),
  "254700100503": sendsBody(withoutMetadata),
  "254700100504": sendsBody(withValue("MpesaReceiptNumber", () => "SAME000001")),
  "254700100505": sendsBody(withStringCode),
  "254700100506": sendsBody(withStrings),
  "254700100507": sendsBody(withMaskedPhone),
  "254700100508": sendsBody(withoutItem("PhoneNumber")),
  "254700100509": sendsBody(withValue("PhoneNumber", () => 254_722_000_000)),
  "254700100510": sendsBody(withoutItem("Balance")),
  "254700100511": sendsBody(withPrefix),
  "254700100512": buildBehaviour({ result: "SFC_IC0003" }),
  "254700100513": buildBehaviour({ result: "" }),
  "254700100514": buildBehaviour({ result: "777777" }),
  "254700100515": sendsBody(withReversedAndUnknownItems),
  "254700100516": sendsBody(withValue("Amount", (amount) => Number(amount) + 0.5)),

  "254700100600": isForgedWith({ writeBody: withOtherIds }),
  "254700100601": isForgedWith({ changeAddress: alterAddress }),
  "254700100602": isForgedWith({ writeBody: withOtherMerchantRequestId }),
  "254700100603": isForgedWith({ writeBody: notJson }),
  "254700100604": isForgedWith({ writeBody: otherJson }),
  "254700100605": isForgedWith({ writeBody: emptyBody }),
};

/** Returns undefined for a number that is not magic. */
export function findMagicBehaviour(phone: string): Behaviour | undefined {
  const result = /^2547000(\d{5})$/.exec(phone)?.[1];
  if (result !== undefined) return buildBehaviour({ result: String(Number(result)) });
  const responseCode = /^2547001000(\d\d)$/.exec(phone)?.[1];
  if (responseCode !== undefined) return refuseWith(String(Number(responseCode)));
  return Object.hasOwn(scripted, phone) ? scripted[phone as ScriptedNumber] : undefined;
}

function refuseWith(responseCode: string): Behaviour {
  return responseCode === "0"
    ? buildBehaviour({})
    : buildUnprompted({ kind: "refused", responseCode });
}
