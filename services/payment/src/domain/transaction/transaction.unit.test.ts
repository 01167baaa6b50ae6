import { readFileSync } from "node:fs";
import { addMs, cents, minuteMs, secondMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import {
  acceptPrompt,
  confirmCallback,
  applyStatusAnswer,
  markAnswerLost,
  reevaluate,
} from "./answers.ts";
import { noVisitor } from "../visitor.ts";
import { receiveCallback, unconfirmedCallback } from "./callback.ts";
import { assignPayment, type Decision, refuse, returnToUnsent, startCall } from "./decide.ts";
import type { CallbackFacts, DeclineReason } from "./outcome.ts";
import {
  newTransaction,
  transitions,
  nextState,
  type State,
  states,
  type Transaction,
  type Trigger,
} from "./transaction.ts";

const start = new Date("2026-11-21T09:00:00Z");
const at = (seconds: number) => addMs(start, seconds * secondMs);
const ids = { checkoutrequestid: "ws_CO_1", merchantrequestid: "m-1" };
const trusted = { trusted: true, isReceiptTaken: false };

const unsent = newTransaction(
  "6743f1b2c9e8a45d3f0b7c21",
  "6743f1b2c9e8a45d3f0b7c22",
  {
    amount: cents(10_000),
    phone: "254712345678",
    referenceid: null,
    title: "Payment",
    holder: "holder",
    ...noVisitor,
    settingsid: null,
    invoiceid: null,
    subscriptionid: null,
    customerid: null,
    paymentlinkid: null,
    invoiceno: null,
    customername: null,
  },
  start,
);

function made(decided: Decision | null): Transaction {
  if (!decided) throw new Error("nothing was decided");
  return decided.entity;
}

const calling = made(startCall(unsent, start));
const prompted = made(acceptPrompt(calling, { ...ids, description: "ok" }, at(1)));
const payment = { ...ids, amount: cents(10_000), receiptnumber: "UKL7A1B2C3" };
const paid: CallbackFacts = { ...payment, result: "paid", code: "0" };
const declinedAs = (result: DeclineReason): CallbackFacts => ({ ...paid, result, code: "1" });
const completed = made(receiveCallback(prompted, paid, trusted, at(5)));
const failed = made(receiveCallback(prompted, declinedAs("insufficient_funds"), trusted, at(5)));
const cancelled = made(receiveCallback(prompted, declinedAs("cancelled_by_payer"), trusted, at(5)));

const all: Readonly<Record<State, Transaction>> = {
  unsent,
  calling,
  prompted,
  completed,
  failed,
  cancelled,
};

const typesOf = (decided: Decision | null) => decided?.events.map(({ type }) => type) ?? [];

describe("the transition table", () => {
  const triggers = [
    ...new Set(states.flatMap((state) => Object.keys(transitions[state]))),
  ] as Trigger[];
  const moves = states.flatMap((from) =>
    triggers.map((trigger) => ({ from, trigger, to: nextState(from, trigger) })),
  );

  it("lists every state, and refuses every trigger that it does not list", () => {
    const none = moves.filter(({ to }) => to === undefined);
    expect(moves).toHaveLength(6 * 8);
    expect(none.map(({ from, trigger }) => `${from} ${trigger}`)).toEqual([
      "unsent unsend",
      "unsent accept",
      "unsent refuse",
      "calling call",
      "prompted call",
      "prompted unsend",
      "prompted accept",
      "prompted refuse",
      ...triggers.map((trigger) => `completed ${trigger}`),
      ...triggers.filter((each) => each !== "pay").map((trigger) => `failed ${trigger}`),
      ...triggers.filter((each) => each !== "pay").map((trigger) => `cancelled ${trigger}`),
    ]);
  });

  it("equals the table in the README", () => {
    const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
    const rows = [...readme.matchAll(/^\| (\w+) +\| (\w+) +\| (\w+) +\|/gm)]
      .filter(([, from]) => states.some((state) => state === from))
      .map(([, from, trigger, to]) => `${from} ${trigger} ${to}`);
    const listed = moves.flatMap(({ from, trigger, to }) =>
      to ? [`${from} ${trigger} ${to}`] : [],
    );
    expect(rows.toSorted()).toEqual(listed.toSorted());
  });

  it("has no way out of completed, and one way into calling", () => {
    const into = (state: State) =>
      new Set(moves.filter(({ to }) => to === state).map(({ from }) => from));
    expect(into("calling")).toEqual(new Set(["unsent"]));
    expect(into("unsent")).toEqual(new Set(["calling"]));
    expect(into("prompted")).toEqual(new Set(["calling"]));
    expect(moves.filter(({ trigger, to }) => trigger === "pay" && to !== "completed")).toEqual([
      { from: "completed", trigger: "pay", to: undefined },
    ]);
  });

  it("starts a call from unsent only", () => {
    for (const state of states)
      expect(startCall(all[state], at(9)) !== null).toBe(state === "unsent");
  });

  it("returns to unsent from calling only, and not after a callback", () => {
    for (const state of states)
      expect(returnToUnsent(all[state], at(9)) !== null).toBe(state === "calling");
    const early = made(receiveCallback(calling, paid, trusted, at(1)));
    expect(returnToUnsent(early, at(2))).toBeNull();
    expect(refuse(early, "no", at(2))).toBeNull();
  });

  it("emits payment.initiated once: when the prompt is accepted, or else with the outcome", () => {
    expect(typesOf(acceptPrompt(calling, { ...ids, description: "" }, at(1)))).toEqual([
      "payment.initiated",
    ]);
    expect(typesOf(receiveCallback(prompted, paid, trusted, at(5)))).toEqual(["payment.completed"]);
    const early = made(receiveCallback(calling, paid, trusted, at(1)));
    expect(typesOf(confirmCallback(early, paid, { kind: "pending" }, at(60)))).toEqual([
      "payment.initiated",
      "payment.completed",
    ]);
    expect(typesOf(reevaluate(calling, at(86_400)))).toEqual([
      "payment.initiated",
      "payment.failed",
    ]);
    expect(typesOf(refuse(calling, "no", at(1)))).toEqual(["payment.failed"]);
    expect(typesOf(reevaluate(unsent, at(15 * 60)))).toEqual(["payment.failed"]);
  });
});

describe("a callback", () => {
  it("changes nothing when it is repeated", () => {
    for (const done of [completed, failed, cancelled]) {
      const result =
        done === completed ? "paid" : done === failed ? "insufficient_funds" : "cancelled_by_payer";
      expect(receiveCallback(done, { ...paid, result }, trusted, at(9))).toBeNull();
    }
  });

  it("waits for the provider's ids when it comes before the answer to the request", () => {
    const early = made(receiveCallback(calling, paid, trusted, at(1)));
    expect(early.state).toBe("calling");
    expect(receiveCallback(early, paid, trusted, at(1))).toBeNull();
    const accepted = acceptPrompt(early, { ...ids, description: "ok" }, at(2));
    expect(typesOf(accepted)).toEqual(["payment.initiated", "payment.completed"]);
    expect(made(accepted)).toMatchObject({ state: "completed", momoreceiptnumber: "UKL7A1B2C3" });
  });

  it("counts as soon as a query knows its ids when the answer to the request is lost", () => {
    const lost = made(receiveCallback(made(markAnswerLost(calling, at(2))), paid, trusted, at(3)));
    const early = made(receiveCallback(calling, paid, trusted, at(1)));
    expect(unconfirmedCallback(early, at(2))).toBeNull();
    expect(unconfirmedCallback(early, at(40))).toMatchObject(paid);
    for (const waiting of [lost, made(markAnswerLost(early, at(3)))]) {
      expect(waiting).toMatchObject({ state: "calling", nextquery: at(3) });
      expect(unconfirmedCallback(waiting, at(3))).toMatchObject(paid);
      for (const answer of [
        { kind: "paid" },
        { kind: "pending" },
        { kind: "declined", reason: "insufficient_funds" },
      ] as const) {
        const known = confirmCallback(waiting, paid, answer, at(4));
        expect(made(known)).toMatchObject({ state: "completed", ...ids, early: [] });
        expect(typesOf(known)).toEqual(["payment.initiated", "payment.completed"]);
      }
    }
    for (const done of [unsent, prompted, completed, failed]) {
      expect(markAnswerLost(done, at(9))).toBeNull();
    }
  });

  it("goes to suspense when the provider does not know its ids", () => {
    const unanswered = { kind: "unanswered", details: "" } as const;
    const forged = { ...paid, checkoutrequestid: "ws_CO_forged" };
    const lost = made(markAnswerLost(calling, at(2)));
    const both = [forged, paid].reduce(
      (present, each) => made(receiveCallback(present, each, trusted, at(3))),
      lost,
    );
    const afterFirstQuery = made(confirmCallback(both, forged, unanswered, at(4)));
    expect(unconfirmedCallback(afterFirstQuery, at(20))).toMatchObject(paid);
    const known = confirmCallback(afterFirstQuery, paid, { kind: "paid" }, at(20));
    expect(known).toMatchObject({
      entity: { state: "completed", ...ids },
      unmatched: [
        { kind: "unknown_request", callback: { ...payment, checkoutrequestid: "ws_CO_forged" } },
      ],
    });
    const alone = made(receiveCallback(lost, forged, trusted, at(3)));
    expect(confirmCallback(alone, forged, unanswered, at(86_401))).toMatchObject({
      entity: { state: "failed", reason: "unresolved" },
      unmatched: [
        { kind: "unknown_request", callback: { ...payment, checkoutrequestid: "ws_CO_forged" } },
      ],
    });
  });

  it("prevents that an unsent transaction is sent again", () => {
    const back = made(returnToUnsent(calling, at(1)));
    expect(startCall(made(receiveCallback(back, paid, trusted, at(2))), at(3))).toBeNull();
  });

  it("goes to suspense when it came early with forged ids", () => {
    const forged = { ...paid, checkoutrequestid: "ws_CO_forged" };
    const early = made(receiveCallback(calling, forged, trusted, at(1)));
    const accepted = acceptPrompt(early, { ...ids, description: "ok" }, at(2));
    expect(made(accepted).state).toBe("prompted");
    expect(accepted?.unmatched).toMatchObject([{ kind: "unknown_request" }]);
  });

  it("is not applied unless both ids match", () => {
    for (const forged of [
      { ...paid, checkoutrequestid: "ws_CO_2" },
      { ...paid, merchantrequestid: "m-2" },
    ]) {
      const decision = receiveCallback(prompted, forged, trusted, at(5));
      expect(decision).toMatchObject({
        entity: prompted,
        unmatched: [{ kind: "unknown_request" }],
      });
      expect(
        receiveCallback(prompted, { ...forged, result: "cancelled_by_payer" }, trusted, at(5)),
      ).toBeNull();
    }
  });

  it("suspends the transaction when the amount differs, until a person assigns the money", () => {
    const decision = receiveCallback(prompted, { ...paid, amount: cents(9_900) }, trusted, at(5));
    expect(decision).toMatchObject({ events: [], unmatched: [{ kind: "wrong_amount" }] });
    const suspended = made(decision);
    expect(suspended).toMatchObject({ state: "prompted", inSuspense: true, nextquery: null });
    expect(receiveCallback(suspended, declinedAs("cancelled_by_payer"), trusted, at(9))).toBeNull();
    expect(reevaluate(suspended, at(86_400))).toBeNull();
    const money = { id: "entry", amount: cents(9_900), momoreceiptnumber: "UKL7A1B2C3" };
    const counted = assignPayment(suspended, money, at(100));
    expect(counted?.entity).toMatchObject({ state: "completed", amount: 9_900, assigned: "entry" });
    expect(typesOf(counted)).toEqual(["payment.completed"]);
  });

  it("suspends the transaction when its receipt number belongs to another one", () => {
    const decision = receiveCallback(
      prompted,
      paid,
      { trusted: true, isReceiptTaken: true },
      at(5),
    );
    expect(decision).toMatchObject({
      entity: { inSuspense: true },
      unmatched: [{ kind: "receipt_seen_twice" }],
    });
  });

  it("goes to suspense when it has a second receipt number for a completed transaction", () => {
    const second = { ...paid, receiptnumber: "UKL7A1B2C4" };
    const decision = receiveCallback(completed, second, trusted, at(9));
    expect(decision).toMatchObject({ entity: completed, unmatched: [{ kind: "second_receipt" }] });
  });

  it("never undoes a completed transaction, and is reported as contradicted", () => {
    const decision = receiveCallback(completed, declinedAs("cancelled_by_payer"), trusted, at(9));
    expect(decision).toMatchObject({ entity: completed, events: [], surprise: "contradicted" });
  });

  it("completes a failed or cancelled transaction, and is reported as overturned", () => {
    for (const done of [failed, cancelled]) {
      const decision = receiveCallback(done, paid, trusted, at(500));
      expect(decision).toMatchObject({
        entity: { state: "completed", reason: null },
        surprise: "overturned",
      });
      expect(typesOf(decision)).toEqual(["payment.completed"]);
    }
  });

  it("only causes a query when it decides nothing or comes from an untrusted address", () => {
    const undecided: CallbackFacts = { ...paid, result: "undecided" };
    const noted = made(receiveCallback(prompted, undecided, trusted, at(5)));
    expect(noted).toMatchObject({ state: "prompted", nextquery: at(5) });
    const untrusted = { trusted: false, isReceiptTaken: false };
    const unconfirmed = made(receiveCallback(prompted, paid, untrusted, at(5)));
    expect(unconfirmed).toMatchObject({
      state: "prompted",
      unconfirmedreceipt: "UKL7A1B2C3",
      nextquery: at(5),
    });
    expect(made(applyStatusAnswer(unconfirmed, { kind: "paid" }, at(6)))).toMatchObject({
      state: "completed",
      momoreceiptnumber: "UKL7A1B2C3",
    });
    const denied = made(
      applyStatusAnswer(unconfirmed, { kind: "declined", reason: "cancelled_by_payer" }, at(200)),
    );
    expect(denied).toMatchObject({ state: "cancelled", momoreceiptnumber: null });
  });
});

describe("a payment reported from an untrusted address and never confirmed", () => {
  const untrusted = { trusted: false, isReceiptTaken: false };
  const unmatched = [{ kind: "unknown_request", callback: payment }];
  const unanswered = { kind: "unanswered", details: "" } as const;

  it("goes to suspense when its transaction is given up", () => {
    const unconfirmed = made(
      receiveCallback(prompted, { ...paid, amount: null }, untrusted, at(5)),
    );
    expect(reevaluate(unconfirmed, at(86_399))).toBeNull();
    expect(reevaluate(unconfirmed, at(86_400))).toMatchObject({
      entity: { state: "failed" },
      unmatched,
    });
  });

  it("goes to suspense when a failed transaction is no longer queried", () => {
    const unconfirmed = made(receiveCallback(failed, paid, untrusted, at(5)));
    expect(applyStatusAnswer(unconfirmed, unanswered, at(86_401))).toMatchObject({
      entity: { state: "failed", nextquery: null, unconfirmedreceipt: null },
      unmatched,
    });
    expect(applyStatusAnswer(failed, unanswered, at(86_401))).toMatchObject({ unmatched: [] });
  });

  it("completes without a receipt number when the number belongs to another transaction", () => {
    const unconfirmed = made(receiveCallback(prompted, paid, untrusted, at(5)));
    const known = made(applyStatusAnswer(unconfirmed, { kind: "paid" }, at(6), true));
    expect(known).toMatchObject({ state: "completed", momoreceiptnumber: null });
  });
});

describe("a status query", () => {
  it("that says paid waits a minute for the callback, then completes without a receipt number", () => {
    const seen = made(applyStatusAnswer(prompted, { kind: "paid" }, at(20)));
    expect(seen).toMatchObject({ state: "prompted", paidsince: at(20), nextquery: at(80) });
    expect(reevaluate(seen, at(79))).toBeNull();
    const done = reevaluate(seen, at(80));
    expect(done?.entity).toMatchObject({ state: "completed", momoreceiptnumber: null });
    expect(typesOf(done)).toEqual(["payment.completed"]);
    // The later callback only adds its receipt number.
    const filled = receiveCallback(made(done), paid, trusted, at(90));
    expect(filled).toMatchObject({ entity: { momoreceiptnumber: "UKL7A1B2C3" }, events: [] });
  });

  it("that says paid leaves completion to a callback within that minute", () => {
    const seen = made(applyStatusAnswer(prompted, { kind: "paid" }, at(20)));
    expect(made(receiveCallback(seen, paid, trusted, at(30))).momoreceiptnumber).toBe("UKL7A1B2C3");
  });

  it("that said paid is not undone by a later callback or query", () => {
    const seen = made(applyStatusAnswer(prompted, { kind: "paid" }, at(20)));
    const denied = receiveCallback(seen, declinedAs("cancelled_by_payer"), trusted, at(30));
    expect(denied).toMatchObject({ entity: seen, surprise: "contradicted" });
    expect(
      applyStatusAnswer(seen, { kind: "declined", reason: "insufficient_funds" }, at(70)),
    ).toBeNull();
    expect(
      made(applyStatusAnswer(seen, { kind: "declined", reason: "insufficient_funds" }, at(200)))
        .state,
    ).toBe("completed");
  });

  it("that says not paid is final from two minutes after the prompt", () => {
    const declined = { kind: "declined", reason: "unreachable" } as const;
    const waiting = made(applyStatusAnswer(prompted, declined, at(30)));
    expect(waiting).toMatchObject({ state: "prompted", nextquery: at(121) });
    expect(made(applyStatusAnswer(waiting, declined, at(120.9))).state).toBe("prompted");
    expect(made(applyStatusAnswer(waiting, declined, at(121)))).toMatchObject({
      state: "failed",
      reason: "unreachable",
    });
  });

  it("never undoes a completed transaction", () => {
    expect(
      applyStatusAnswer(completed, { kind: "declined", reason: "insufficient_funds" }, at(900)),
    ).toBeNull();
  });

  it("verifies a failure that a callback reported, two minutes after the prompt", () => {
    for (const done of [failed, cancelled]) {
      expect(done.nextquery).toEqual(at(121));
      const madeGood = applyStatusAnswer(done, { kind: "paid" }, at(121));
      expect(madeGood).toMatchObject({
        entity: { state: "completed", reason: null, momoreceiptnumber: null, nextquery: null },
        surprise: "overturned",
      });
      expect(typesOf(madeGood)).toEqual(["payment.completed"]);
      const agreed = applyStatusAnswer(
        done,
        { kind: "declined", reason: "insufficient_funds" },
        at(121),
      );
      expect(agreed).toMatchObject({ entity: { state: done.state, nextquery: null }, events: [] });
      const unanswered = { kind: "unanswered", details: "" } as const;
      expect(made(applyStatusAnswer(done, unanswered, at(121))).nextquery).toEqual(at(136));
      expect(made(applyStatusAnswer(done, unanswered, at(86_400))).nextquery).toBeNull();
    }
  });

  it("is repeated with growing delays, and given up after a day", () => {
    let present = prompted;
    let now = at(1);
    const gaps: number[] = [];
    while (present.nextquery) {
      const due: Date = present.nextquery;
      gaps.push((due.getTime() - now.getTime()) / secondMs);
      now = due;
      present = made(applyStatusAnswer(present, { kind: "unanswered", details: "" }, now));
    }
    expect(gaps.slice(0, 5)).toEqual([15, 15, 15, 15, 20]);
    expect(Math.max(...gaps)).toBe(1_800);
    expect(gaps.length).toBeLessThan(70);
    expect(present).toMatchObject({ state: "failed", reason: "unresolved" });
    expect(now.getTime() - start.getTime()).toBeLessThan(24.6 * 60 * minuteMs);
  });
});

describe("reevaluation by time", () => {
  it("fails a transaction that stayed unsent for fifteen minutes", () => {
    expect(reevaluate(unsent, at(15 * 60 - 1))).toBeNull();
    expect(made(reevaluate(unsent, at(15 * 60)))).toMatchObject({
      state: "failed",
      reason: "not_sent",
    });
  });

  it("fails a transaction without an answer after a day", () => {
    expect(reevaluate(calling, at(86_399))).toBeNull();
    expect(made(reevaluate(calling, at(86_400)))).toMatchObject({
      state: "failed",
      reason: "unresolved",
    });
  });
});

describe("a late answer to the request", () => {
  it("adds the ids to a finished transaction and does not change its outcome", () => {
    const lost = made(reevaluate(calling, at(86_400)));
    const decision = acceptPrompt(lost, { ...ids, description: "ok" }, at(86_401));
    expect(decision).toMatchObject({ entity: { state: "failed", ...ids }, events: [] });
    expect(acceptPrompt(completed, { ...ids, description: "ok" }, at(9))).toBeNull();
  });
});
