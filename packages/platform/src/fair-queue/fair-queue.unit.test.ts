import { type Fault, ok, type Result } from "@malipo/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFairQueue, type FairQueueLimits } from "./fair-queue.ts";

const limits: FairQueueLimits = { running: 3, runningPerKey: 2, waiting: 8, waitingPerKey: 5 };

interface Piece {
  readonly key: string;
  readonly deadline: Date;
  state: "waiting" | "running" | "done" | "refused";
  finish(): void;
}

/** A queue with a clock that stands still, and all the work that it was given. */
function queueOf(own: FairQueueLimits) {
  let now = new Date(0);
  const queue = createFairQueue(own, () => now);
  const pieces: Piece[] = [];
  const started: Piece[] = [];
  /** Keys that had two turns while another key could have had one. */
  const skipped: string[] = [];
  /** By waiting key: the keys that had a turn since it could have had one. */
  const turnsBefore = new Map<string, Set<string>>();
  const inState = (state: Piece["state"]) => pieces.filter((piece) => piece.state === state);

  function add(key: string, lifetimeMs = 1_000): Piece {
    const { promise, resolve } = Promise.withResolvers<Result<number, Fault>>();
    const deadline = new Date(now.getTime() + lifetimeMs);
    const piece: Piece = { key, deadline, state: "waiting", finish: () => resolve(ok(1)) };
    pieces.push(piece);
    const work = () => {
      noteTurn(key);
      expect(now < deadline).toBe(true);
      piece.state = "running";
      started.push(piece);
      return promise;
    };
    void queue.run({ key, deadline }, work).then((result) => {
      piece.state = result.ok ? "done" : "refused";
    });
    return piece;
  }

  const of = (state: Piece["state"], key: string) =>
    inState(state).filter((piece) => piece.key === key);
  const mayRun = (key: string) => of("running", key).length < own.runningPerKey;

  function noteTurn(key: string): void {
    turnsBefore.delete(key);
    const waiting = new Set(
      inState("waiting")
        .filter((piece) => piece.key !== key && now < piece.deadline)
        .map((piece) => piece.key)
        .filter(mayRun),
    );
    for (const other of turnsBefore.keys()) if (!waiting.has(other)) turnsBefore.delete(other);
    for (const other of waiting) {
      const turns = turnsBefore.get(other) ?? new Set();
      turnsBefore.set(other, turns);
      if (turns.has(key)) skipped.push(`${key} before ${other}`);
      turns.add(key);
    }
  }

  return {
    add,
    pieces,
    started,
    skipped: () => skipped,
    inState,
    mayRun,
    of,
    finish: async (piece: Piece | undefined) => {
      piece?.finish();
      await settled();
    },
    pass: (milliseconds: number) => void (now = new Date(now.getTime() + milliseconds)),
  };
}

const never = async () => new Promise<never>(() => undefined);

/** Every promise that can be settled has been, with what follows from it. */
const settled = async () => new Promise((resolve) => void setImmediate(resolve));

describe("a fair queue", () => {
  it("lets a key with one piece of work wait for no other work of a greedy key", async () => {
    const { add, finish, started, inState } = queueOf({
      ...limits,
      waiting: 100,
      waitingPerKey: 50,
    });
    for (let count = 0; count < 50; count += 1) add("greedy");
    for (let count = 0; count < 5; count += 1) {
      const modest = add("modest");
      expect(modest.state).toBe("running");
      await finish(modest);
    }
    while (inState("running").length > 0) await finish(inState("running")[0]);
    expect(started.filter(({ key }) => key === "greedy")).toHaveLength(50);
  });

  it("starts the work of waiting keys in turn, and that of one key in order", async () => {
    const queue = queueOf({ running: 1, runningPerKey: 1, waiting: 100, waitingPerKey: 50 });
    const { add, finish, started, inState } = queue;
    const a = [add("a"), add("a"), add("a"), add("a")];
    const b = [add("b"), add("b")];
    const c = add("c");
    while (inState("running").length > 0) await finish(inState("running")[0]);
    expect(started).toEqual([a[0], b[0], c, a[1], b[1], a[2], a[3]]);
  });

  it("gives a key no second turn before another key that waits", async () => {
    const { add, finish } = queueOf(limits);
    const other = [add("x"), add("x"), add("y")];
    const [first, second, modest] = [add("greedy"), add("greedy"), add("modest")];
    await finish(other[0]);
    await finish(other[1]);
    expect([first.state, second.state, modest.state]).toEqual(["running", "waiting", "running"]);
  });

  it("leaves a key its turn when other work of it ends", async () => {
    const { add, finish, skipped } = queueOf(limits);
    const [c, a, c2] = [add("c"), add("a"), add("c")];
    const waiting = [add("a"), add("d"), add("d"), add("c")];
    for (const piece of [c, a, c2]) await finish(piece);
    expect(waiting.map(({ state }) => state)).toEqual(["running", "running", "waiting", "running"]);
    expect(skipped()).toEqual([]);
  });

  it("refuses a key that fills its own places, and no other key", async () => {
    const { add, inState, of } = queueOf(limits);
    for (let count = 0; count < 20; count += 1) add("greedy");
    for (const key of ["a", "b"]) add(key);
    await settled();
    expect(of("refused", "greedy")).toHaveLength(20 - limits.runningPerKey - limits.waitingPerKey);
    expect(inState("refused").map(({ key }) => key)).not.toContain("a");
    expect(of("waiting", "b")).toHaveLength(1);
  });

  it("makes room for a newcomer by refusing the newest work of the key that has most", async () => {
    const { add, of } = queueOf(limits);
    for (let count = 0; count < 7; count += 1) add("greedy");
    const others = ["a", "b", "c", "d", "e"].map((key) => add(key));
    await settled();
    expect(others.map(({ state }) => state)).toEqual([
      "running",
      ...Array.from({ length: 4 }, () => "waiting"),
    ]);
    expect(of("refused", "greedy")).toHaveLength(1);
    expect(of("waiting", "greedy")).toHaveLength(4);
  });

  it("answers 503 with Retry-After for work that it does not start", async () => {
    const queue = createFairQueue({ ...limits, waiting: 0 }, () => new Date(0));
    const turn = { key: "a", deadline: new Date(1) };
    for (let count = 0; count < limits.runningPerKey; count += 1) void queue.run(turn, never);
    expect(await queue.run(turn, never)).toMatchObject({
      error: { status: 503, retry: "later", retryAfterSeconds: 2 },
    });
  });

  it("does not start work after its deadline, and continues with the next", async () => {
    const { add, finish, pass } = queueOf({ ...limits, running: 1, runningPerKey: 1 });
    const first = add("a");
    const late = [add("b", 100), add("b", 100)];
    const patient = add("b", 101);
    pass(100);
    await finish(first);
    expect(late.map(({ state }) => state)).toEqual(["refused", "refused"]);
    expect(patient.state).toBe("running");
  });

  it("frees the place of work that throws", async () => {
    const queue = createFairQueue({ ...limits, running: 1, runningPerKey: 1 }, () => new Date(0));
    const turn = { key: "a", deadline: new Date(1) };
    const broken = queue.run(turn, () => Promise.reject(new Error("broken")));
    const next = queue.run(turn, () => Promise.resolve(ok("next")));
    await expect(broken).rejects.toThrow("broken");
    expect(await next).toEqual(ok("next"));
  });

  it("keeps its bounds, wastes no place and starves no key, in any order of events", async () => {
    const key = fc.constantFrom("a", "b", "c", "d");
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ add: key, lifetimeMs: fc.integer({ min: 1, max: 50 }) }),
      },
      { weight: 2, arbitrary: fc.record({ finish: fc.nat(limits.running - 1) }) },
      { weight: 1, arbitrary: fc.record({ pass: fc.nat(20) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const queue = queueOf(limits);
        const { add, finish, pass, pieces, started, inState, of } = queue;
        for (const each of steps) {
          if ("add" in each) add(each.add, each.lifetimeMs);
          else if ("pass" in each) pass(each.pass);
          else await finish(inState("running")[each.finish]);
          await settled();
          expect(keysWithRoom(queue)).toEqual([]);
          expect(inState("running").length).toBeLessThanOrEqual(limits.running);
          expect(inState("waiting").length).toBeLessThanOrEqual(limits.waiting);
          for (const one of ["a", "b", "c", "d"]) {
            expect(of("running", one).length).toBeLessThanOrEqual(limits.runningPerKey);
            expect(of("waiting", one).length).toBeLessThanOrEqual(limits.waitingPerKey);
          }
        }
        while (inState("running").length > 0) await finish(inState("running")[0]);
        expect(inState("waiting")).toEqual([]);
        expect(queue.skipped()).toEqual([]);
        const order = (piece: Piece) => pieces.indexOf(piece);
        for (const of of Object.values(Object.groupBy(started, (piece) => piece.key))) {
          expect(of?.map(order)).toEqual(of?.map(order).toSorted((one, other) => one - other));
        }
      }),
    );
  });
});

/** Keys that have work waiting although there is room for it. */
function keysWithRoom({ inState, mayRun }: ReturnType<typeof queueOf>): string[] {
  if (inState("running").length === limits.running) return [];
  return inState("waiting")
    .map(({ key }) => key)
    .filter(mayRun);
}
