import { addMs, minuteMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { deleteEndpoint, disableEndpoint, newEndpoint } from "../endpoint.ts";
import type { Answer, DueDelivery, UnstoredDelivery } from "../delivery.ts";
import { healthy } from "../health.ts";
import type { Queue } from "../queue.ts";
import type { Command, EndpointEvent } from "./messages.ts";
import { leaseEndpoint, type LeasedEndpoint, type Serving, takesFirstAttempts } from "./state.ts";
import { transition } from "./transition.ts";

const now = new Date("2026-11-22T08:00:00Z");
const url = "https://example.co.ke/";
const ids = { id: "endpoint-1", businessid: "business-1", slot: 1 };
const endpoint = newEndpoint(ids, { url }, "sealed", now);
const queue: Queue = {
  endpointid: "endpoint-1",
  owner: "worker-1",
  mark: "mark-1",
  health: healthy,
  restartedat: null,
  dropuntil: null,
};
const resting = { ...healthy, failures: 5, rests: 1, restuntil: addMs(now, minuteMs) };

function due(...names: string[]): DueDelivery[] {
  return names.map((id) => ({
    id,
    endpointid: "endpoint-1",
    eventid: `evt_${id}`,
    type: "payment.completed",
    resourceid: "r",
    sequence: 1,
    body: "{}",
    tries: 0,
    version: 1,
  }));
}

function first(...names: string[]): UnstoredDelivery[] {
  return due(...names).map((one) => ({ ...one, businessid: "b", dueat: now, createdat: now }));
}

/** A leased endpoint that has read its store: it is idle at 0 ms, and its receiver is quick. */
const idle: Serving = {
  ...leaseEndpoint(queue, 0),
  endpoint,
  latencyMs: 10,
  isWakePending: false,
  read: { step: { name: "none" }, startedMs: 0, confirmedMs: 0, startedMeanwhile: [] },
};
const reading = (name: "endpoint" | "due"): Serving => ({
  ...idle,
  read: { ...idle.read, step: { name } },
});
const dropping: Serving = {
  ...idle,
  read: { ...idle.read, step: { name: "backlog", until: now, isGone: false } },
};
const draining: LeasedEndpoint = { ...idle, phase: "draining", health: resting, sending: 1 };
const releasing: LeasedEndpoint = { ...idle, phase: "releasing" };
const released: LeasedEndpoint = { phase: "released", isWakePending: false };

const answered = (status: number): Answer => ({
  status,
  problem: status === 200 ? null : `answered ${status}`,
  response: "",
});
const finished = (answer: Answer, own: { url?: string } = {}): EndpointEvent => ({
  kind: "attemptFinished",
  answer,
  milliseconds: 20,
  url,
  random: 0.5,
  ...own,
});
const stored = (dueat: Date | null = null): EndpointEvent => ({
  kind: "attemptStored",
  dueat,
  wakeCount: 0,
});
const offered = (...names: string[]): EndpointEvent => ({
  kind: "firstAttemptsOffered",
  deliveries: first(...names),
});
const endpointRead = (
  own: Partial<Queue> = {},
  found: typeof endpoint | null = endpoint,
): EndpointEvent => ({ kind: "endpointRead", queue: { ...queue, ...own }, endpoint: found });
const dueRead = (...names: string[]): EndpointEvent => ({
  kind: "dueRead",
  due: due(...names),
  nextDueAt: null,
});
const idleChecked: EndpointEvent = { kind: "idleChecked", hasRoom: true, quickMs: 50 };
const releaseFinished = (outcome: "released" | "changed" | "failed"): EndpointEvent => ({
  kind: "releaseFinished",
  outcome,
});

/** A command in one word, with the delivery it is about. */
function nameOf(command: Command): string {
  if (command.kind === "send" || command.kind === "sendFirst") {
    return `${command.kind} ${command.delivery.id}`;
  }
  if (command.kind === "refuseFirst") {
    return `refuse ${command.deliveries.map(({ id }) => id).join(" ")}`;
  }
  return command.kind;
}

function run(state: LeasedEndpoint, event: EndpointEvent, uptimeMs = 100) {
  const step = transition(state, event, { now, uptimeMs });
  return { state: step.state, commands: step.commands, names: step.commands.map(nameOf) };
}

type Row = [
  title: string,
  from: LeasedEndpoint,
  event: EndpointEvent,
  phase: LeasedEndpoint["phase"],
  commands: string[],
  uptimeMs?: number,
];

const table: Row[] = [
  ["reads the store when woken", idle, { kind: "woken" }, "serving", ["readEndpoint"]],
  ["does not read twice at once", reading("due"), { kind: "woken" }, "serving", []],
  [
    "reads due deliveries after the endpoint",
    reading("endpoint"),
    endpointRead(),
    "serving",
    ["readDue"],
  ],
  [
    "releases when a read finds the lease lost",
    reading("endpoint"),
    endpointRead({ owner: "worker-2" }),
    "releasing",
    ["markDue"],
  ],
  [
    "releases when a read finds the endpoint disabled",
    reading("endpoint"),
    endpointRead({}, disableEndpoint(endpoint, "x", now)),
    "releasing",
    ["release"],
  ],
  [
    "drops the backlog first when a person asked for it",
    reading("endpoint"),
    endpointRead({ dropuntil: now }),
    "serving",
    ["dropBacklog"],
  ],
  [
    "drops the backlog of a deleted endpoint",
    reading("endpoint"),
    endpointRead({}, deleteEndpoint(endpoint, now)),
    "draining",
    ["dropBacklog"],
  ],
  [
    "drops the backlog of a removed endpoint",
    reading("endpoint"),
    endpointRead({}, null),
    "serving",
    ["dropBacklog"],
  ],
  [
    "drops the next batch until none is left",
    dropping,
    { kind: "backlogDropped", isDone: false },
    "serving",
    ["dropBacklog"],
  ],
  [
    "reads due deliveries after the backlog",
    dropping,
    { kind: "backlogDropped", isDone: true },
    "serving",
    ["readDue"],
  ],
  [
    "stops dropping when the lease is lost",
    { ...dropping, lease: { ...idle.lease, isLost: true } },
    { kind: "backlogDropped", isDone: false },
    "releasing",
    ["markDue"],
  ],
  [
    "releases a gone endpoint after its backlog",
    { ...dropping, read: { ...idle.read, step: { name: "backlog", until: now, isGone: true } } },
    { kind: "backlogDropped", isDone: true },
    "releasing",
    ["release"],
  ],
  [
    "sends five due deliveries at once",
    reading("due"),
    dueRead("1", "2", "3", "4", "5", "6"),
    "serving",
    ["send 1", "send 2", "send 3", "send 4", "send 5"],
  ],
  [
    "sends one delivery at a time after a rest",
    { ...reading("due"), health: { ...resting, restuntil: now } },
    dueRead("1", "2"),
    "serving",
    ["send 1"],
  ],
  [
    "leaves out first attempts that started during the read",
    { ...reading("due"), read: { ...reading("due").read, startedMeanwhile: ["1"] } },
    dueRead("1", "2"),
    "serving",
    ["send 2"],
  ],
  ["retries a failed read", reading("due"), { kind: "readFailed" }, "serving", ["wakeAfter"]],
  [
    "sends offered first attempts",
    idle,
    offered("1", "2"),
    "serving",
    ["sendFirst 1", "sendFirst 2"],
  ],
  ["sends first attempts during a read", reading("due"), offered("1"), "serving", ["sendFirst 1"]],
  [
    "sends no first attempts during a read when the last one is old",
    reading("due"),
    offered("1"),
    "serving",
    [],
    4_000,
  ],
  [
    "reads again when the last read is old, and sends first attempts during the read",
    idle,
    offered("1"),
    "serving",
    ["readEndpoint", "sendFirst 1"],
    3_000,
  ],
  [
    "waits for the read before it sends first attempts when the last read is very old",
    idle,
    offered("1"),
    "serving",
    ["readEndpoint"],
    4_000,
  ],
  ["refuses first attempts while it drains", draining, offered("1"), "draining", ["refuse 1"]],
  ["refuses first attempts during a release", releasing, offered("1"), "releasing", ["refuse 1"]],
  ["refuses first attempts when released", released, offered("1"), "released", ["refuse 1"]],
  [
    "starts the next due delivery before first attempts",
    { ...idle, sending: 5, due: due("1"), firstAttempts: first("2") },
    finished(answered(200)),
    "serving",
    ["send 1"],
  ],
  [
    "stores a changed health",
    { ...idle, sending: 1 },
    finished(answered(500)),
    "serving",
    ["storeHealth"],
  ],
  ["stores no unchanged health", { ...idle, sending: 1 }, finished(answered(200)), "serving", []],
  [
    "disables after a 410, and refuses first attempts",
    { ...idle, sending: 5, firstAttempts: first("1") },
    finished(answered(410)),
    "draining",
    ["storeHealth", "disable", "refuse 1"],
  ],
  [
    "does not disable after a 410 from an old address",
    { ...idle, sending: 1 },
    finished(answered(410), { url: "https://old.example/" }),
    "serving",
    ["storeHealth"],
  ],
  [
    "drains when a rest begins",
    { ...idle, sending: 2, health: { ...healthy, failures: 4 } },
    finished(answered(500)),
    "draining",
    ["storeHealth"],
  ],
  [
    "releases when the last outcome of a draining endpoint is stored",
    { ...draining, sending: 0, storing: 1 },
    stored(),
    "releasing",
    ["release"],
  ],
  [
    "keeps draining while an attempt is under way",
    { ...draining, sending: 1, storing: 1 },
    stored(),
    "draining",
    [],
  ],
  [
    "serves again when the cause of draining has passed",
    { ...draining, health: healthy },
    { kind: "woken" },
    "serving",
    ["readEndpoint"],
  ],
  [
    "sets a timer for a delivery that is due soon",
    { ...idle, storing: 1 },
    stored(addMs(now, 1_000)),
    "serving",
    ["wakeAfter"],
  ],
  [
    "sets no timer for a delivery that is due later",
    { ...idle, storing: 1 },
    stored(addMs(now, minuteMs)),
    "serving",
    [],
  ],
  [
    "reads again when it was woken during an attempt",
    { ...idle, storing: 1, wakeCount: 1 },
    stored(),
    "serving",
    ["readEndpoint"],
  ],
  [
    "renews its lease",
    idle,
    { kind: "leaseRenewed", renewedAtMs: 3_000, mark: "mark-1" },
    "serving",
    [],
  ],
  [
    "reads when a renewal shows another mark",
    idle,
    { kind: "leaseRenewed", renewedAtMs: 3_000, mark: "mark-2" },
    "serving",
    ["readEndpoint"],
  ],
  [
    "drains when the lease is too old",
    { ...idle, sending: 1 },
    { kind: "woken" },
    "draining",
    [],
    8_500,
  ],
  [
    "serves again when the lease is renewed",
    { ...draining, health: healthy },
    { kind: "leaseRenewed", renewedAtMs: 8_500 },
    "serving",
    [],
    8_600,
  ],
  [
    "makes the new owner read again when the lease is lost",
    idle,
    { kind: "leaseLost" },
    "releasing",
    ["markDue"],
  ],
  [
    "waits for attempts under way when the lease is lost",
    { ...idle, sending: 1 },
    { kind: "leaseLost" },
    "draining",
    [],
  ],
  ["releases at once when it stops idle", idle, { kind: "stopping" }, "releasing", ["release"]],
  [
    "drains when it stops with attempts under way",
    { ...idle, sending: 1 },
    { kind: "stopping" },
    "draining",
    [],
  ],
  [
    "waits for a read under way when it stops",
    reading("due"),
    { kind: "stopping" },
    "draining",
    [],
  ],
  [
    "keeps a quick idle endpoint for ten seconds",
    { ...idle, lease: { ...idle.lease, validUntilMs: 60_000 } },
    idleChecked,
    "serving",
    [],
    9_999,
  ],
  [
    "releases a quick idle endpoint after ten seconds",
    { ...idle, lease: { ...idle.lease, validUntilMs: 60_000 } },
    idleChecked,
    "releasing",
    ["release"],
    10_000,
  ],
  [
    "releases a slow idle endpoint after one second",
    { ...idle, latencyMs: Infinity },
    idleChecked,
    "releasing",
    ["release"],
    1_000,
  ],
  [
    "releases an idle endpoint after one second when the worker is full",
    idle,
    { ...idleChecked, hasRoom: false },
    "releasing",
    ["release"],
    1_000,
  ],
  [
    "releases an idle endpoint at once when a delivery is due",
    { ...idle, nextDueAt: now },
    idleChecked,
    "releasing",
    ["release"],
  ],
  [
    "does not release with an outcome that is not stored",
    { ...idle, storing: 1, nextDueAt: now },
    idleChecked,
    "serving",
    [],
  ],
  ["ends when the release is stored", releasing, releaseFinished("released"), "released", ["end"]],
  [
    "ends when the release fails: the lease expires",
    releasing,
    releaseFinished("failed"),
    "released",
    ["end"],
  ],
  [
    "reads again when the mark changed before the release",
    releasing,
    releaseFinished("changed"),
    "serving",
    ["readEndpoint"],
  ],
  ["ignores a wake-up when released", released, { kind: "woken" }, "released", []],
];

describe("a leased endpoint", () => {
  it.each(table)("%s", (_title, from, event, phase, commands, uptimeMs) => {
    const { state, names } = run(from, event, uptimeMs);
    expect({ phase: state.phase, commands: names }).toEqual({ phase, commands });
  });

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
