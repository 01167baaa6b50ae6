import { addMs, cents, secondMs } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  acceptPrompt,
  applyStatusAnswer,
  confirmCallback,
  markAnswerLost,
  reevaluate,
} from "./answers.ts";
import { noVisitor } from "../visitor.ts";
import { receiveCallback, unconfirmedCallback } from "./callback.ts";
import { type Decision, refuse, returnToUnsent, startCall } from "./decide.ts";
import type { CallbackFacts, PromptAnswer, StatusAnswer } from "./outcome.ts";
import { newTransaction, noPurpose, type Transaction } from "./transaction.ts";

const start = new Date("2026-11-21T09:00:00Z");
const ids = { checkoutrequestid: "ws_CO_1", merchantrequestid: "m-1" };
const forgedIds = { checkoutrequestid: "ws_CO_forged", merchantrequestid: "m-2" };
const paidFacts = {
  result: "paid",
  code: "0",
  amount: cents(10_000),
  receiptnumber: "UKL7A1B2C3",
} as const;
const cancelledFacts = {
  result: "cancelled_by_payer",
  code: "1032",
  amount: null,
  receiptnumber: null,
} as const;

/** A behaviour of payer and provider. */
interface Truth {
  readonly paid: boolean;
  /** The answer to the request. The phone may ring in any case. */
  readonly answer: PromptAnswer["kind"];
  readonly rings: boolean;
  /** The provider sends no true callback. */
  readonly isCallbackLost?: true;
}

const truths: fc.Arbitrary<Truth> = fc.constantFrom<Truth>(
  { paid: true, answer: "accepted", rings: true },
  { paid: false, answer: "accepted", rings: true },
  { paid: true, answer: "accepted", rings: true, isCallbackLost: true },
  { paid: true, answer: "unknown", rings: true },
  { paid: false, answer: "unknown", rings: true },
  { paid: false, answer: "unknown", rings: false },
  { paid: false, answer: "not sent", rings: false },
  { paid: false, answer: "refused", rings: false },
);

/** Each step is one read, or one conditional write, of one process. */
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("worker" as const), worker: fc.nat(2) }),
    fc.record({ kind: fc.constant("crash" as const), worker: fc.nat(2) }),
    fc.record({ kind: fc.constant("callback" as const), isFalse: fc.boolean() }),
    fc.record({ kind: fc.constant("forgery" as const) }),
    fc.record({ kind: fc.constant("query" as const), fails: fc.boolean() }),
    fc.record({ kind: fc.constant("reevaluate" as const) }),
    fc.record({
      kind: fc.constant("time" as const),
      seconds: fc.constantFrom(1, 20, 60, 130, 9_000),
    }),
  ),
  { minLength: 5, maxLength: 60 },
);

type Step = (typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never) extends (infer One)[]
  ? One
  : never;

type Worker =
  | { readonly at: "start" }
  | { readonly at: "read"; readonly seen: Transaction; readonly version: number }
  | { readonly at: "won" }
  | { readonly at: "answered" }
  | { readonly at: "over" };

/** One transaction and the processes that work on it, one step at a time. */
class World {
  transaction: Transaction;
  version = 1;
  events: string[] = [];
  calls = 0;
  private readonly truth: Truth;
  private now = start;
  private workers: Worker[] = [{ at: "start" }, { at: "start" }, { at: "start" }];

  constructor(truth: Truth) {
    this.truth = truth;
    const draft = { amount: cents(10_000), phone: "254712345678", referenceid: null };
    const more = { title: "Payment", holder: "h", ...noVisitor, settingsid: null };
    this.transaction = newTransaction("t", "b", { ...draft, ...more, ...noPurpose }, start);
  }

  run(step: Step): void {
    switch (step.kind) {
      case "worker":
        return this.work(step.worker);
      case "crash":
        // The client repeats the request with the same key.
        this.workers[step.worker] = { at: "start" };
        return;
      case "callback":
        return this.sendCallback(step.isFalse);
      case "forgery":
        return this.receive({ ...forgedIds, ...paidFacts });
      case "query":
        return this.query(step.fails);
      case "reevaluate":
        return this.decide((transaction) => reevaluate(transaction, this.now));
      default:
        this.now = addMs(this.now, step.seconds * secondMs);
    }
  }

  /** Lets everything happen that still can: callbacks come, days pass. */
  finish(): void {
    this.sendCallback(false);
    // More rounds than early callbacks are kept, then days.
    for (const seconds of [...Array<number>(10).fill(60), ...Array<number>(4).fill(86_400)]) {
      this.now = addMs(this.now, seconds * secondMs);
      this.decide((transaction) => reevaluate(transaction, this.now));
      this.query(false);
    }
  }

  private work(index: number): void {
    const worker = this.workers[index] ?? { at: "over" };
    switch (worker.at) {
      case "start":
        this.workers[index] = { at: "read", seen: this.transaction, version: this.version };
        return;
      case "read": {
        const decision = startCall(worker.seen, this.now);
        const won = decision !== null && worker.version === this.version;
        if (won) this.save(decision);
        this.workers[index] = { at: won ? "won" : "over" };
        return;
      }
      case "won":
        this.calls += 1;
        this.workers[index] = { at: "answered" };
        return;
      case "answered":
        this.workers[index] = { at: "over" };
        return this.applyAnswer();
      default:
    }
  }

  private applyAnswer(): void {
    const { now } = this;
    const decide = (transaction: Transaction): Decision | null => {
      switch (this.truth.answer) {
        case "accepted":
          return acceptPrompt(transaction, { ...ids, description: "ok" }, now);
        case "refused":
          return refuse(transaction, "no", now);
        case "not sent":
          return returnToUnsent(transaction, now);
        default:
          return markAnswerLost(transaction, now);
      }
    };
    this.decide(decide);
  }

  /** A false callback says "not paid". M-Pesa has not been seen to err the other way. */
  private sendCallback(isFalse: boolean): void {
    if (this.calls === 0 || !this.truth.rings || (this.truth.isCallbackLost && !isFalse)) return;
    const saysPaid = this.truth.paid && !isFalse;
    this.receive({ ...ids, ...(saysPaid ? paidFacts : cancelledFacts) });
  }

  private receive(callback: CallbackFacts): void {
    const context = { trusted: true, isReceiptTaken: false };
    this.decide((transaction) => receiveCallback(transaction, callback, context, this.now));
  }

  /** The provider knows only the ids that it gave. */
  private query(fails: boolean): void {
    const unanswered: StatusAnswer = { kind: "unanswered", details: "" };
    const answerFor = (id: string): StatusAnswer => {
      if (fails || id !== ids.checkoutrequestid) return unanswered;
      return this.truth.paid
        ? { kind: "paid" }
        : { kind: "declined", reason: "cancelled_by_payer" };
    };
    const callback = unconfirmedCallback(this.transaction, this.now);
    const id = callback?.checkoutrequestid ?? this.transaction.checkoutrequestid;
    if (id === null) return;
    const answer = answerFor(id);
    this.decide((transaction) =>
      callback
        ? confirmCallback(transaction, callback, answer, this.now)
        : applyStatusAnswer(transaction, answer, this.now),
    );
  }

  private decide(decide: (transaction: Transaction) => Decision | null): void {
    const decision = decide(this.transaction);
    if (decision) this.save(decision);
  }

  private save(decision: Decision): void {
    this.transaction = decision.entity;
    this.version += 1;
    this.events.push(...decision.events.map(({ type }) => type));
  }
}

describe("a transaction under any order of requests, crashes, callbacks, queries and time", () => {
  it("counts a payment once, never undoes it, and rings the phone once", () => {
    fc.assert(
      fc.property(truths, steps, (truth, taken) => {
        const world = new World(truth);
        let wasCompleted = false;
        for (const step of taken) {
          world.run(step);
          const isCompleted = world.transaction.state === "completed";
          expect(isCompleted || !wasCompleted).toBe(true);
          wasCompleted = isCompleted;
        }
        const { calls } = world;
        world.finish();

        const count = (type: string) => world.events.filter((each) => each === type).length;
        expect(world.calls).toBe(calls);
        const callsMax = truth.answer === "not sent" ? Infinity : 1;
        expect(calls).toBeLessThanOrEqual(callsMax);
        const { state, nextquery, momoreceiptnumber, checkoutrequestid } = world.transaction;
        // Without a callback and without an id, the payment cannot become known.
        const isKnowable = !truth.isCallbackLost || checkoutrequestid !== null;
        const gotMoney = truth.paid && calls > 0 && isKnowable;
        expect(state === "completed").toBe(gotMoney);
        expect(state).not.toMatch(/unsent|calling|prompted/);
        expect(nextquery).toBeNull();
        expect([null, "UKL7A1B2C3"]).toContain(momoreceiptnumber);
        expect(count("payment.completed")).toBe(gotMoney ? 1 : 0);
        expect(count("payment.failed")).toBeLessThanOrEqual(1);
        expect(world.events.lastIndexOf("payment.initiated")).toBeLessThanOrEqual(0);
        const order = gotMoney ? ["payment.initiated", "payment.completed"] : [];
        expect(world.events).toEqual(expect.arrayContaining(order));
      }),
      { numRuns: 3_000, seed: 7 },
    );
  });
});
