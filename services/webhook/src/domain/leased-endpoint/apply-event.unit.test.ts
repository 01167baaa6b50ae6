import { addMs, minuteMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import {
  answered,
  draining,
  due,
  dueRead,
  endpoint,
  endpointRead,
  finished,
  first,
  idle,
  now,
  offered,
  queue,
  reading,
  released,
  releaseFinished,
  releasing,
  run,
  stored,
} from "../../../test/leased-endpoints.ts";
import { deleteEndpoint, disableEndpoint } from "../endpoint.ts";
import { healthy } from "../health.ts";
import type { EndpointEvent } from "./messages.ts";
import { leaseEndpoint, type LeasedEndpoint, takesFirstAttempts } from "./state.ts";

describe("a leased endpoint", () => {
  it("reads the store first when it is new, and sends nothing before", () => {
    const fresh = leaseEndpoint(queue, 0);
    expect(run(fresh, offered("1"))).toMatchObject({ names: ["readEndpoint"] });
    expect(run(fresh, { kind: "woken" }).names).toEqual(["readEndpoint"]);
  });

  it("never has more than five attempts under way", () => {
    let state: LeasedEndpoint = run(reading("due"), dueRead("1", "2", "3", "4")).state;
    state = run(state, offered("5", "6", "7")).state;
    expect(state).toMatchObject({ sending: 5, due: [], firstAttempts: first("6", "7") });
    state = run(state, finished(answered(200))).state;
    expect(state).toMatchObject({ sending: 5, storing: 1, firstAttempts: first("7") });
  });

  it("keeps the earliest due time of its waiting deliveries", () => {
    const [soon, late] = [addMs(now, minuteMs), addMs(now, 2 * minuteMs)];
    const { state } = run({ ...idle, storing: 2 }, stored(late));
    expect(run(state, stored(soon)).state).toMatchObject({ nextDueAt: soon });
    expect(run({ ...idle, nextDueAt: soon, storing: 1 }, stored(late)).state).toMatchObject({
      nextDueAt: soon,
    });
  });

  it("forgets the health when a person restarts the receiver", () => {
    const failing = { ...reading("endpoint"), health: { ...healthy, failures: 3 } };
    expect(run(failing, endpointRead({ restartedat: now })).state).toMatchObject({
      health: healthy,
    });
    expect(run(failing, endpointRead()).state).toMatchObject({ health: { failures: 3 } });
  });

  it("parks a disabled endpoint when it is released, but not a deleted one", () => {
    const stop: EndpointEvent = { kind: "stopping" };
    const disabled = { ...idle, endpoint: disableEndpoint(endpoint, "x", now) };
    expect(run(disabled, stop).commands).toEqual([{ kind: "release", isParked: true }]);
    const deleted = { ...idle, endpoint: deleteEndpoint(endpoint, now) };
    expect(run(deleted, stop).commands).toEqual([{ kind: "release", isParked: false }]);
    expect(run(idle, stop).commands).toEqual([{ kind: "release", isParked: false }]);
  });

  it("asks for another scan when it was woken during its release", () => {
    const { state } = run(releasing, { kind: "woken" });
    expect(run(state, releaseFinished("released")).commands).toEqual([
      { kind: "end", isScanNeeded: true },
    ]);
    expect(run(releasing, releaseFinished("released")).commands).toEqual([
      { kind: "end", isScanNeeded: false },
    ]);
  });

  it("reads again after a full page of due deliveries", () => {
    const page = due(...Array.from({ length: 100 }, (_, index) => String(index)));
    const { state } = run(reading("due"), { kind: "dueRead", due: page, nextDueAt: null });
    expect(state).toMatchObject({ hasMoreDue: true, isWakePending: true });
    expect(takesFirstAttempts(state, 50)).toBe(false);
  });

  it("withdraws first attempts, and counts as slow when one is still under way", () => {
    const busy = { ...idle, sending: 5, firstAttempts: first("1", "2") };
    const ids = new Set(["1", "2"]);
    const { state } = run(busy, { kind: "firstAttemptsWithdrawn", ids, isSlow: true });
    expect(state).toMatchObject({ firstAttempts: [], latencyMs: Infinity });
    expect(takesFirstAttempts(state, 50)).toBe(false);
  });

  it.each<[string, LeasedEndpoint, boolean]>([
    ["is quick", idle, true],
    ["is slower than the limit", { ...idle, latencyMs: 51 }, false],
    ["failed the last time", { ...idle, health: { ...healthy, failures: 1 } }, false],
    [
      "has more than 20 deliveries waiting",
      { ...idle, due: due(...Array.from({ length: 21 }, (_, index) => String(index))) },
      false,
    ],
    ["is disabled", { ...idle, endpoint: disableEndpoint(endpoint, "x", now) }, false],
    ["is not read yet", { ...idle, endpoint: undefined }, false],
    ["drains", draining, false],
    ["is released", released, false],
  ])("takes first attempts or not when it %s", (_title, state, isTaken) => {
    expect(takesFirstAttempts(state, 50)).toBe(isTaken);
  });
});
