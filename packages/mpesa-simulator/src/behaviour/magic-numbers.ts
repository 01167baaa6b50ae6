import type { SandboxNumber } from "@malipo/contracts";
import {
  again,
  type Behaviour,
  behaviour,
  ended,
  type PushAnswer,
  unprompted,
} from "./behaviour.ts";
import {
  alteredAddress,
  amongUnknownItems,
  anotherJson,
  nothing,
  notJson,
  withMaskedPhone,
  withOtherIds,
  withOtherMerchantRequest,
  withoutItem,
  withoutMetadata,
  withPrefix,
  withStringCode,
  withStrings,
  withValue,
} from "./callback-bodies.ts";
import type { ReplyName } from "../daraja/replies.ts";

/** The numbers that are not told by their digits alone. */
type Scripted = Exclude<SandboxNumber, `2547000${string}` | `2547001000${string}`>;

const cancelled = "1032";
const unreached = "1037";
const silence = { kind: "silence" } as const;
const cut = { kind: "cut" } as const;

const answers = (reply: ReplyName): Behaviour => unprompted({ kind: "reply", reply });
const answersEverySecond = (reply: ReplyName): Behaviour =>
  behaviour({ answer: { kind: "reply", reply, everySecondPasses: true } });
const promptsUnder = (answer: PushAnswer): Behaviour => behaviour({ answer });
const lost = (different: Partial<Behaviour>): Behaviour =>
  behaviour({ deliveries: [], ...different });
const contains = (write: Behaviour["deliveries"][number]["write"]): Behaviour =>
  behaviour({ deliveries: [{ ...ended, ...(write && { write }) }] });
const forged = (how: Partial<Behaviour["deliveries"][number]>): Behaviour =>
  behaviour({ result: cancelled, deliveries: [{ ...ended, says: "0", ...how }, ended] });

const scripted: Readonly<Record<Scripted, Behaviour>> = {
  "254700100100": answers("html503"),
  "254700100101": answers("internalError"),
  "254700100102": answers("spikeArrest"),
  "254700100103": answers("systemBusy"),
  "254700100104": answers("quotaViolation"),
  "254700100105": answers("subscriberLocked"),
  "254700100106": answers("prefixedWrongCredentials"),
  "254700100107": answers("unknownMerchant"),
  "254700100108": answers("gatewayTimeout"),
  "254700100109": answers("gatewaySpikeArrest"),
  "254700100110": answersEverySecond("invalidToken404"),
  "254700100111": answersEverySecond("invalidToken401"),
  "254700100112": answersEverySecond("invalidToken400"),
  "254700100113": answersEverySecond("gatewayInvalidToken"),
  "254700100114": answers("invalidToken404"),
  "254700100115": answers("html200"),
  "254700100116": answers("empty200"),
  "254700100117": answers("invalidAmount"),

  "254700100200": unprompted(cut),
  "254700100201": unprompted(silence),
  "254700100202": promptsUnder(silence),
  "254700100203": promptsUnder(cut),
  "254700100204": promptsUnder({ kind: "reply", reply: "html503" }),
  "254700100205": promptsUnder({ kind: "reply", reply: "internalError" }),
  "254700100206": promptsUnder({ kind: "torn" }),
  "254700100207": behaviour({ answer: silence, result: cancelled }),
  "254700100208": lost({ answer: silence }),
  "254700100209": promptsUnder({ kind: "reply", reply: "html200" }),
  "254700100210": promptsUnder({ kind: "accepted", slow: true }),
  "254700100211": behaviour({ answer: { kind: "accepted", slow: true }, result: cancelled }),

  "254700100300": lost({}),
  "254700100301": lost({ result: cancelled }),
  "254700100302": behaviour({ deliveries: [{ when: "late" }] }),
  "254700100303": behaviour({ result: cancelled, deliveries: [{ when: "late" }] }),
  "254700100304": behaviour({ deliveries: [ended, again, again] }),
  "254700100305": behaviour({ deliveries: [ended, { when: "late" }] }),
  "254700100306": behaviour({ deliveries: [{ when: "early" }] }),
  "254700100307": behaviour({ result: cancelled, deliveries: [{ when: "early" }] }),
  "254700100308": behaviour({ deliveries: [{ when: "overtaken" }] }),
  "254700100310": behaviour({ deliveries: [ended, { when: "ended", says: cancelled }] }),
  "254700100311": behaviour({ deliveries: [{ when: "ended", says: cancelled }, ended] }),
  "254700100312": behaviour({
    deliveries: [{ when: "ended", says: unreached }, { when: "late" }],
    query: { kind: "says", result: unreached, until: "a-while" },
  }),
  "254700100313": behaviour({ deliveries: [ended, { ...again, says: cancelled }] }),

  "254700100400": behaviour({ query: { kind: "says", result: cancelled, until: "ever" } }),
  "254700100401": behaviour({ deliveries: [{ when: "ended", says: cancelled }] }),
  "254700100402": lost({ query: { kind: "processing", until: "ever" } }),
  "254700100403": lost({ query: { kind: "processing", until: "a-while" } }),
  "254700100404": lost({ query: { kind: "under-processing" } }),
  "254700100405": lost({ query: { kind: "reply", reply: "spikeArrest" } }),
  "254700100406": lost({ query: { kind: "reply", reply: "html503" } }),
  "254700100407": lost({ query: silence }),
  "254700100408": lost({
    query: { kind: "reply", reply: "invalidToken404", everySecondPasses: true },
  }),
  "254700100409": lost({ query: { kind: "unknown-id" } }),
  "254700100410": behaviour({
    deliveries: [{ when: "late" }],
    query: { kind: "says", result: unreached, until: "a-while" },
  }),

  "254700100500": contains(withValue("Amount", (amount) => Number(amount) - 1)),
  "254700100501": contains(withValue("Amount", (amount) => Number(amount) + 1)),
  "254700100502": contains(withoutItem("MpesaReceiptNumber")),
  "254700100503": contains(withoutMetadata),
  "254700100504": contains(withValue("MpesaReceiptNumber", () => "SAME000001")),
  "254700100505": contains(withStringCode),
  "254700100506": contains(withStrings),
  "254700100507": contains(withMaskedPhone),
  "254700100508": contains(withoutItem("PhoneNumber")),
  "254700100509": contains(withValue("PhoneNumber", () => 254_722_000_000)),
  "254700100510": contains(withoutItem("Balance")),
  "254700100511": contains(withPrefix),
  "254700100512": behaviour({ result: "SFC_IC0003" }),
  "254700100513": behaviour({ result: "" }),
  "254700100514": behaviour({ result: "777777" }),
  "254700100515": contains(amongUnknownItems),
  "254700100516": contains(withValue("Amount", (amount) => Number(amount) + 0.5)),

  "254700100600": forged({ write: withOtherIds }),
  "254700100601": forged({ address: alteredAddress }),
  "254700100602": forged({ write: withOtherMerchantRequest }),
  "254700100603": forged({ write: notJson }),
  "254700100604": forged({ write: anotherJson }),
  "254700100605": forged({ write: nothing }),
};

/** Undefined for every number that is like any other. */
export function magicBehaviour(phone: string): Behaviour | undefined {
  const result = /^2547000(\d{5})$/.exec(phone)?.[1];
  if (result !== undefined) return behaviour({ result: String(Number(result)) });
  const responseCode = /^2547001000(\d\d)$/.exec(phone)?.[1];
  if (responseCode !== undefined) return refused(String(Number(responseCode)));
  return Object.hasOwn(scripted, phone) ? scripted[phone as Scripted] : undefined;
}

function refused(responseCode: string): Behaviour {
  return responseCode === "0" ? behaviour({}) : unprompted({ kind: "refused", responseCode });
}
