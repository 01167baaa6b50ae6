import { addMs, cents, minuteMs, secondMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { accept, hearOfClaim, hearStatus, loseAnswer, tick } from "./answers.ts";
import { claimToCheck, hearCallback } from "./callback.ts";
import { assign, call, type Decided, refuse, unsent } from "./decide.ts";
import {
  newTransaction,
  next,
  nextState,
  type State,
  states,
  type Transaction,
  type Trigger,
} from "./transaction.ts";

const start = new Date("2026-11-21T09:00:00Z");
const at = (seconds: number) => addMs(start, seconds * secondMs);
const ids = { checkoutrequestid: "ws_CO_1", merchantrequestid: "m-1" };
const trusted = { trusted: true, receipttaken: false };

const saved = newTransaction(
  "6743f1b2c9e8a45d3f0b7c21",
  "6743f1b2c9e8a45d3f0b7c22",
  {
    amount: cents(10_000),
    phone: "254712345678",
    referenceid: null,
    title: "Payment",
    holder: "holder",
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

function made(decided: Decided): Transaction {
  if (!decided) throw new Error("nothing was decided");
  return decided.entity;
}

const calling = made(call(saved, start));
const prompted = made(accept(calling, { ...ids, description: "ok" }, at(1)));
const paid = { ...ids, code: "0", amount: cents(10_000), receiptnumber: "UKL7A1B2C3" };
const completed = made(hearCallback(prompted, paid, trusted, at(5)));
const failed = made(hearCallback(prompted, { ...paid, code: "1" }, trusted, at(5)));
const cancelled = made(hearCallback(prompted, { ...paid, code: "1032" }, trusted, at(5)));

const all: Readonly<Record<State, Transaction>> = {
  saved,
  calling,
  prompted,
  completed,
  failed,
  cancelled,
};

const typesOf = (decided: Decided) => decided?.events.map(({ type }) => type) ?? [];

describe("the machine", () => {
  const triggers = [...new Set(states.flatMap((state) => Object.keys(next[state])))] as Trigger[];
  const moves = states.flatMap((from) =>
    triggers.map((trigger) => ({ from, trigger, to: nextState(from, trigger) })),
  );

  it("knows each state and trigger, and where nothing may happen", () => {
    const none = moves.filter(({ to }) => to === undefined);
    expect(moves).toHaveLength(6 * 8);
    expect(none.map(({ from, trigger }) => `${from} ${trigger}`)).toEqual([
      "saved unsent",
      "saved accept",
      "saved refuse",
      "calling call",
      "prompted call",
      "prompted unsent",
      "prompted accept",
      "prompted refuse",
      ...triggers.map((trigger) => `completed ${trigger}`),
      ...triggers.filter((each) => each !== "pay").map((trigger) => `failed ${trigger}`),
      ...triggers.filter((each) => each !== "pay").map((trigger) => `cancelled ${trigger}`),
    ]);
  });

  it("lets nothing overrule money, and calls from one state only", () => {
    const into = (state: State) =>
      new Set(moves.filter(({ to }) => to === state).map(({ from }) => from));
    expect(into("calling")).toEqual(new Set(["saved"]));
    expect(into("saved")).toEqual(new Set(["calling"]));
    expect(into("prompted")).toEqual(new Set(["calling"]));
    expect(moves.filter(({ trigger, to }) => trigger === "pay" && to !== "completed")).toEqual([
      { from: "completed", trigger: "pay", to: undefined },
    ]);
  });

  it("is called by one only, and once", () => {
    for (const state of states) expect(call(all[state], at(9)) !== null).toBe(state === "saved");
  });

  it("goes back to saved only from calling, and not once it was called back", () => {
    for (const state of states)
      expect(unsent(all[state], at(9)) !== null).toBe(state === "calling");
    const early = made(hearCallback(calling, paid, trusted, at(1)));
    expect(unsent(early, at(2))).toBeNull();
    expect(refuse(early, "no", at(2))).toBeNull();
  });

  it("announces itself once: when it is accepted, or else before its outcome", () => {
    expect(typesOf(accept(calling, { ...ids, description: "" }, at(1)))).toEqual([
      "payment.initiated",
    ]);
    expect(typesOf(hearCallback(prompted, paid, trusted, at(5)))).toEqual(["payment.completed"]);
    const early = made(hearCallback(calling, paid, trusted, at(1)));
    expect(typesOf(hearOfClaim(early, paid, { kind: "pending" }, at(60)))).toEqual([
      "payment.initiated",
      "payment.completed",
    ]);
    expect(typesOf(tick(calling, at(86_400)))).toEqual(["payment.initiated", "payment.failed"]);
    expect(typesOf(refuse(calling, "no", at(1)))).toEqual(["payment.failed"]);
    expect(typesOf(tick(saved, at(15 * 60)))).toEqual(["payment.failed"]);
  });
});

describe("a callback", () => {
  it("is applied once, however often it comes", () => {
    for (const done of [completed, failed, cancelled]) {
      const code = done === completed ? "0" : done === failed ? "1" : "1032";
      expect(hearCallback(done, { ...paid, code }, trusted, at(9))).toBeNull();
    }
  });

  it("that comes before the request's answer waits for the ids it must match", () => {
    const early = made(hearCallback(calling, paid, trusted, at(1)));
    expect(early.state).toBe("calling");
    expect(hearCallback(early, paid, trusted, at(1))).toBeNull();
    const accepted = accept(early, { ...ids, description: "ok" }, at(2));
    expect(typesOf(accepted)).toEqual(["payment.initiated", "payment.completed"]);
    expect(made(accepted)).toMatchObject({ state: "completed", momoreceiptnumber: "UKL7A1B2C3" });
  });

  it("need not wait once the request's answer is known to be lost, but for the provider's word", () => {
    const lost = made(hearCallback(made(loseAnswer(calling, at(2))), paid, trusted, at(3)));
    const early = made(hearCallback(calling, paid, trusted, at(1)));
    expect(claimToCheck(early, at(2))).toBeNull();
    expect(claimToCheck(early, at(40))).toMatchObject(paid);
    for (const heard of [lost, made(loseAnswer(early, at(3)))]) {
      expect(heard).toMatchObject({ state: "calling", nextquery: at(3) });
      expect(claimToCheck(heard, at(3))).toMatchObject(paid);
      for (const answer of [
        { kind: "paid" },
        { kind: "pending" },
        { kind: "declined", code: "1" },
      ] as const) {
        const known = hearOfClaim(heard, paid, answer, at(4));
        expect(made(known)).toMatchObject({ state: "completed", ...ids, early: [] });
        expect(typesOf(known)).toEqual(["payment.initiated", "payment.completed"]);
      }
    }
    for (const done of [saved, prompted, completed, failed]) {
      expect(loseAnswer(done, at(9))).toBeNull();
    }
  });

  it("with ids that the provider does not know pays nothing, and in the end a person judges", () => {
    const unanswered = { kind: "unanswered", details: "" } as const;
    const forged = { ...paid, checkoutrequestid: "ws_CO_forged" };
    const lost = made(loseAnswer(calling, at(2)));
    const both = [forged, paid].reduce(
      (present, each) => made(hearCallback(present, each, trusted, at(3))),
      lost,
    );
    const next = made(hearOfClaim(both, forged, unanswered, at(4)));
    expect(claimToCheck(next, at(20))).toMatchObject(paid);
    const known = hearOfClaim(next, paid, { kind: "paid" }, at(20));
    expect(known).toMatchObject({
      entity: { state: "completed", ...ids },
      misfits: [{ kind: "unknown_request", callback: forged }],
    });
    const alone = made(hearCallback(lost, forged, trusted, at(3)));
    expect(hearOfClaim(alone, forged, unanswered, at(86_401))).toMatchObject({
      entity: { state: "failed", reason: "unresolved" },
      misfits: [{ kind: "unknown_request", callback: forged }],
    });
  });

  it("of what goes back to be sent again stops that", () => {
    const back = made(unsent(calling, at(1)));
    expect(call(made(hearCallback(back, paid, trusted, at(2))), at(3))).toBeNull();
  });

  it("that came early with made-up ids pays nothing", () => {
    const forged = { ...paid, checkoutrequestid: "ws_CO_forged" };
    const early = made(hearCallback(calling, forged, trusted, at(1)));
    const accepted = accept(early, { ...ids, description: "ok" }, at(2));
    expect(made(accepted).state).toBe("prompted");
    expect(accepted?.misfits).toMatchObject([{ kind: "unknown_request" }]);
  });

  it("must have both ids", () => {
    for (const forged of [
      { ...paid, checkoutrequestid: "ws_CO_2" },
      { ...paid, merchantrequestid: "m-2" },
    ]) {
      const heard = hearCallback(prompted, forged, trusted, at(5));
      expect(heard).toMatchObject({ entity: prompted, misfits: [{ kind: "unknown_request" }] });
      expect(hearCallback(prompted, { ...forged, code: "1032" }, trusted, at(5))).toBeNull();
    }
  });

  it("with another amount is nobody's until a person says whose", () => {
    const heard = hearCallback(prompted, { ...paid, amount: cents(9_900) }, trusted, at(5));
    expect(heard).toMatchObject({ events: [], misfits: [{ kind: "wrong_amount" }] });
    const suspended = made(heard);
    expect(suspended).toMatchObject({ state: "prompted", suspended: true, nextquery: null });
    expect(hearCallback(suspended, { ...paid, code: "1032" }, trusted, at(9))).toBeNull();
    expect(tick(suspended, at(86_400))).toBeNull();
    const money = { id: "entry", amount: cents(9_900), momoreceiptnumber: "UKL7A1B2C3" };
    const counted = assign(suspended, money, at(100));
    expect(counted?.entity).toMatchObject({ state: "completed", amount: 9_900, assigned: "entry" });
    expect(typesOf(counted)).toEqual(["payment.completed"]);
  });

  it("with a receipt of another transaction is nobody's either", () => {
    const heard = hearCallback(prompted, paid, { trusted: true, receipttaken: true }, at(5));
    expect(heard).toMatchObject({
      entity: { suspended: true },
      misfits: [{ kind: "receipt_seen_twice" }],
    });
  });

  it("with a second receipt for a completed one leaves it, and is told of", () => {
    const second = { ...paid, receiptnumber: "UKL7A1B2C4" };
    const heard = hearCallback(completed, second, trusted, at(9));
    expect(heard).toMatchObject({ entity: completed, misfits: [{ kind: "second_receipt" }] });
  });

  it("that says not paid never overturns one that is", () => {
    const heard = hearCallback(completed, { ...paid, code: "1032" }, trusted, at(9));
    expect(heard).toMatchObject({ entity: completed, events: [], surprise: "contradicted" });
  });

  it("that says paid makes good an earlier failure, and is told of", () => {
    for (const done of [failed, cancelled]) {
      const heard = hearCallback(done, paid, trusted, at(500));
      expect(heard).toMatchObject({
        entity: { state: "completed", reason: null },
        surprise: "overturned",
      });
      expect(typesOf(heard)).toEqual(["payment.completed"]);
    }
  });

  it("without a result, or from anywhere, is a reason to ask", () => {
    const empty = made(hearCallback(prompted, { ...paid, code: "" }, trusted, at(5)));
    expect(empty).toMatchObject({ state: "prompted", nextquery: at(5) });
    const underWay = made(hearCallback(prompted, { ...paid, code: "4999" }, trusted, at(5)));
    expect(underWay).toMatchObject({ state: "prompted", nextquery: at(5) });
    const stranger = { trusted: false, receipttaken: false };
    const claimed = made(hearCallback(prompted, paid, stranger, at(5)));
    expect(claimed).toMatchObject({
      state: "prompted",
      claimedreceipt: "UKL7A1B2C3",
      nextquery: at(5),
    });
    expect(made(hearStatus(claimed, { kind: "paid" }, at(6)))).toMatchObject({
      state: "completed",
      momoreceiptnumber: "UKL7A1B2C3",
    });
    const denied = made(hearStatus(claimed, { kind: "declined", code: "1032" }, at(200)));
    expect(denied).toMatchObject({ state: "cancelled", momoreceiptnumber: null });
  });
});

describe("money that a stranger claims, and nobody confirms", () => {
  const stranger = { trusted: false, receipttaken: false };
  const misfits = [{ kind: "unknown_request", callback: paid }];
  const unanswered = { kind: "unanswered", details: "" } as const;

  it("is a person's to judge when its payment is given up", () => {
    const claimed = made(hearCallback(prompted, { ...paid, amount: null }, stranger, at(5)));
    expect(tick(claimed, at(86_399))).toBeNull();
    expect(tick(claimed, at(86_400))).toMatchObject({ entity: { state: "failed" }, misfits });
  });

  it("is so too when a failed payment is asked about no more", () => {
    const claimed = made(hearCallback(failed, paid, stranger, at(5)));
    expect(hearStatus(claimed, unanswered, at(86_401))).toMatchObject({
      entity: { state: "failed", nextquery: null, claimedreceipt: null },
      misfits,
    });
    expect(hearStatus(failed, unanswered, at(86_401))).toMatchObject({ misfits: [] });
  });

  it("is paid without a number where that is another's", () => {
    const claimed = made(hearCallback(prompted, paid, stranger, at(5)));
    const known = made(hearStatus(claimed, { kind: "paid" }, at(6), true));
    expect(known).toMatchObject({ state: "completed", momoreceiptnumber: null });
  });
});

describe("a status query", () => {
  it("that says paid waits a minute for the callback, then completes without a receipt", () => {
    const seen = made(hearStatus(prompted, { kind: "paid" }, at(20)));
    expect(seen).toMatchObject({ state: "prompted", paidsince: at(20), nextquery: at(80) });
    expect(tick(seen, at(79))).toBeNull();
    const done = tick(seen, at(80));
    expect(done?.entity).toMatchObject({ state: "completed", momoreceiptnumber: null });
    expect(typesOf(done)).toEqual(["payment.completed"]);
    // The callback has the receipt, and says nothing new beside it.
    const filled = hearCallback(made(done), paid, trusted, at(90));
    expect(filled).toMatchObject({ entity: { momoreceiptnumber: "UKL7A1B2C3" }, events: [] });
  });

  it("whose callback comes in that minute is completed by it", () => {
    const seen = made(hearStatus(prompted, { kind: "paid" }, at(20)));
    expect(made(hearCallback(seen, paid, trusted, at(30))).momoreceiptnumber).toBe("UKL7A1B2C3");
  });

  it("that said paid is not contradicted by anything later", () => {
    const seen = made(hearStatus(prompted, { kind: "paid" }, at(20)));
    const denied = hearCallback(seen, { ...paid, code: "1032" }, trusted, at(30));
    expect(denied).toMatchObject({ entity: seen, surprise: "contradicted" });
    expect(hearStatus(seen, { kind: "declined", code: "1" }, at(70))).toBeNull();
    expect(made(hearStatus(seen, { kind: "declined", code: "1" }, at(200))).state).toBe(
      "completed",
    );
  });

  it("that says not paid decides no sooner than two minutes after the prompt", () => {
    const declined = { kind: "declined", code: "1037" } as const;
    const waiting = made(hearStatus(prompted, declined, at(30)));
    expect(waiting).toMatchObject({ state: "prompted", nextquery: at(121) });
    expect(made(hearStatus(waiting, declined, at(120.9))).state).toBe("prompted");
    expect(made(hearStatus(waiting, declined, at(121)))).toMatchObject({
      state: "failed",
      reason: "unreachable",
    });
  });

  it("never overturns a completed one", () => {
    expect(hearStatus(completed, { kind: "declined", code: "1" }, at(900))).toBeNull();
  });

  it("checks what a callback said was not paid, two minutes after the prompt", () => {
    for (const done of [failed, cancelled]) {
      expect(done.nextquery).toEqual(at(121));
      const madeGood = hearStatus(done, { kind: "paid" }, at(121));
      expect(madeGood).toMatchObject({
        entity: { state: "completed", reason: null, momoreceiptnumber: null, nextquery: null },
        surprise: "overturned",
      });
      expect(typesOf(madeGood)).toEqual(["payment.completed"]);
      const agreed = hearStatus(done, { kind: "declined", code: "1" }, at(121));
      expect(agreed).toMatchObject({ entity: { state: done.state, nextquery: null }, events: [] });
      const unanswered = { kind: "unanswered", details: "" } as const;
      expect(made(hearStatus(done, unanswered, at(121))).nextquery).toEqual(at(136));
      expect(made(hearStatus(done, unanswered, at(86_400))).nextquery).toBeNull();
    }
  });

  it("is asked again, ever more rarely, until a day has passed", () => {
    let present = prompted;
    let now = at(1);
    const gaps: number[] = [];
    while (present.nextquery) {
      const due: Date = present.nextquery;
      gaps.push((due.getTime() - now.getTime()) / secondMs);
      now = due;
      present = made(hearStatus(present, { kind: "unanswered", details: "" }, now));
    }
    expect(gaps.slice(0, 5)).toEqual([15, 15, 15, 15, 20]);
    expect(Math.max(...gaps)).toBe(1_800);
    expect(gaps.length).toBeLessThan(70);
    expect(present).toMatchObject({ state: "failed", reason: "unresolved" });
    expect(now.getTime() - start.getTime()).toBeLessThan(24.6 * 60 * minuteMs);
  });
});

describe("time alone", () => {
  it("fails what could not be sent for fifteen minutes", () => {
    expect(tick(saved, at(15 * 60 - 1))).toBeNull();
    expect(made(tick(saved, at(15 * 60)))).toMatchObject({ state: "failed", reason: "not_sent" });
  });

  it("waits a day for what was called and never answered", () => {
    expect(tick(calling, at(86_399))).toBeNull();
    expect(made(tick(calling, at(86_400)))).toMatchObject({
      state: "failed",
      reason: "unresolved",
    });
  });
});

describe("an answer that is late", () => {
  it("gives ids to what has its outcome, and no outcome", () => {
    const lost = made(tick(calling, at(86_400)));
    const heard = accept(lost, { ...ids, description: "ok" }, at(86_401));
    expect(heard).toMatchObject({ entity: { state: "failed", ...ids }, events: [] });
    expect(accept(completed, { ...ids, description: "ok" }, at(9))).toBeNull();
  });
});
