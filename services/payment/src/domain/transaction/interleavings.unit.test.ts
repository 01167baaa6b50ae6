import { addMs, cents, secondMs } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accept, hearOfClaim, hearStatus, loseAnswer, tick } from "./answers.ts";
import { claimToCheck, hearCallback } from "./callback.ts";
import { call, type Decided, refuse, unsent } from "./decide.ts";
import type { PromptAnswer, StatusAnswer } from "../../providers/provider.ts";
import { type CallbackFacts, newTransaction, type Transaction } from "./transaction.ts";

const start = new Date("2026-11-21T09:00:00Z");
const ids = { checkoutrequestid: "ws_CO_1", merchantrequestid: "m-1" };
const forgedIds = { checkoutrequestid: "ws_CO_forged", merchantrequestid: "m-2" };
const money = { amount: cents(10_000), receiptnumber: "UKL7A1B2C3" };
const noMoney = { amount: null, receiptnumber: null };

/** What the payer does, and what is said about it: the provider's truth. */
interface Truth {
  readonly paid: boolean;
  /** How the request is answered; a phone may ring all the same. */
  readonly answer: PromptAnswer["kind"];
  readonly rings: boolean;
  /** Its true callback never comes. */
  readonly unheard?: true;
}

const truths: fc.Arbitrary<Truth> = fc.constantFrom<Truth>(
  { paid: true, answer: "accepted", rings: true },
  { paid: false, answer: "accepted", rings: true },
  { paid: true, answer: "accepted", rings: true, unheard: true },
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
    fc.record({ kind: fc.constant("callback" as const), lies: fc.boolean() }),
    fc.record({ kind: fc.constant("forgery" as const) }),
    fc.record({ kind: fc.constant("query" as const), errs: fc.boolean() }),
    fc.record({ kind: fc.constant("tick" as const) }),
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

/** One transaction and everybody who works on it, one step at a time. */
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
    const purpose = {
      invoiceid: null,
      subscriptionid: null,
      customerid: null,
      paymentlinkid: null,
      invoiceno: null,
      customername: null,
    };
    const draft = { amount: cents(10_000), phone: "254712345678", referenceid: null };
    const more = { title: "Payment", holder: "h", settingsid: null };
    this.transaction = newTransaction("t", "b", { ...draft, ...more, ...purpose }, start);
  }

  run(step: Step): void {
    switch (step.kind) {
      case "worker":
        return this.work(step.worker);
      case "crash":
        // It comes again, as a request with the same key does.
        this.workers[step.worker] = { at: "start" };
        return;
      case "callback":
        return this.callBack(step.lies);
      case "forgery":
        return this.hear({ ...forgedIds, code: "0", ...money });
      case "query":
        return this.query(step.errs);
      case "tick":
        return this.decide((transaction) => tick(transaction, this.now));
      default:
        this.now = addMs(this.now, step.seconds * secondMs);
    }
  }

  /** Whatever can still happen, happens: callbacks come, days pass. */
  finish(): void {
    this.callBack(false);
    // More often than callbacks are kept, then rarely.
    for (const seconds of [...Array<number>(10).fill(60), ...Array<number>(4).fill(86_400)]) {
      this.now = addMs(this.now, seconds * secondMs);
      this.decide((transaction) => tick(transaction, this.now));
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
        const decided = call(worker.seen, this.now);
        const won = decided !== null && worker.version === this.version;
        if (won) this.save(decided);
        this.workers[index] = { at: won ? "won" : "over" };
        return;
      }
      case "won":
        this.calls += 1;
        this.workers[index] = { at: "answered" };
        return;
      case "answered":
        this.workers[index] = { at: "over" };
        return this.hearAnswer();
      default:
    }
  }

  private hearAnswer(): void {
    const { now } = this;
    const heard = (transaction: Transaction): Decided => {
      switch (this.truth.answer) {
        case "accepted":
          return accept(transaction, { ...ids, description: "ok" }, now);
        case "refused":
          return refuse(transaction, "no", now);
        case "not sent":
          return unsent(transaction, now);
        default:
          return loseAnswer(transaction, now);
      }
    };
    this.decide(heard);
  }

  /** One that lies says "not paid": M-Pesa has not been seen to lie the other way. */
  private callBack(lies: boolean): void {
    if (this.calls === 0 || !this.truth.rings || (this.truth.unheard && !lies)) return;
    const saysPaid = this.truth.paid && !lies;
    this.hear({ ...ids, ...(saysPaid ? { code: "0", ...money } : { code: "1032", ...noMoney }) });
  }

  private hear(callback: CallbackFacts): void {
    const standing = { trusted: true, receipttaken: false };
    this.decide((transaction) => hearCallback(transaction, callback, standing, this.now));
  }

  /** Of ids that it never gave, the provider knows nothing. */
  private query(errs: boolean): void {
    const unanswered: StatusAnswer = { kind: "unanswered", details: "" };
    const answerFor = (id: string): StatusAnswer => {
      if (errs || id !== ids.checkoutrequestid) return unanswered;
      return this.truth.paid ? { kind: "paid" } : { kind: "declined", code: "1032" };
    };
    const claim = claimToCheck(this.transaction, this.now);
    const id = claim?.checkoutrequestid ?? this.transaction.checkoutrequestid;
    if (id === null) return;
    const answer = answerFor(id);
    this.decide((transaction) =>
      claim
        ? hearOfClaim(transaction, claim, answer, this.now)
        : hearStatus(transaction, answer, this.now),
    );
  }

  private decide(decision: (transaction: Transaction) => Decided): void {
    const decided = decision(this.transaction);
    if (decided) this.save(decided);
  }

  private save(decided: NonNullable<Decided>): void {
    this.transaction = decided.entity;
    this.version += 1;
    this.events.push(...decided.events.map(({ type }) => type));
  }
}

describe("whatever comes in whatever order", () => {
  it("counts money once, overrules none, and rings a phone once", () => {
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
        // Nobody can tell, or be asked, of what has no callback and no id.
        const isKnowable = !truth.unheard || checkoutrequestid !== null;
        const gotMoney = truth.paid && calls > 0 && isKnowable;
        expect(state === "completed").toBe(gotMoney);
        expect(state).not.toMatch(/saved|calling|prompted/);
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
