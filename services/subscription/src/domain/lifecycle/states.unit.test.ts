import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { day, simulate, start } from "../../../test/simulated-subscription.ts";
import { cancel, pause, requestManualInvoice, resume } from "./commands.ts";
import {
  type Status,
  type StatusBefore,
  statuses,
  transitions,
  type Trigger,
  triggers,
} from "./states.ts";
import { type NewSubscription, targetsOf, transition } from "./change.ts";

type Simulation = ReturnType<typeof simulate>;

const everyStatus: readonly StatusBefore[] = ["new", ...statuses];
const everyPair = everyStatus.flatMap((from) =>
  triggers.map((trigger) => [from, trigger] as const),
);
const reason = { why: "a test", asof: start, now: start };

/** A subscription that has reached the status, one day before it is processed again. */
const simulations: Readonly<Record<Status, () => Simulation>> = {
  trial: () => simulate({ trialDays: 10 }),
  active: () => paid(),
  pending: () => {
    const simulation = paid();
    simulation.runTo(8);
    return simulation;
  },
  paused: () => {
    const simulation = paid();
    simulation.pause();
    return simulation;
  },
  cancelled: () => {
    const simulation = paid();
    simulation.cancel();
    return simulation;
  },
  expired: () => {
    const simulation = simulate({ endsOn: 1 });
    simulation.runTo(1);
    return simulation;
  },
};

function paid() {
  const simulation = simulate();
  simulation.pay(1);
  return simulation;
}

function subscriptionThatIs(status: StatusBefore) {
  if (status !== "new") return simulations[status]().subscription;
  const blank: NewSubscription = { ...simulate().subscription, status: null };
  return blank;
}

/** The rows of the table in the README, each as "from trigger to". */
function readmeRows(): string[] {
  const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");
  const rows = readme.matchAll(/^\| ([a-z, ]+?) +\| `([a-z-]+)` +\| ([a-z, ]+?) +\|/gm);
  return [...rows].flatMap(([, from = "", trigger = "", to = ""]) =>
    from
      .split(", ")
      .flatMap((status) => to.split(", ").map((target) => `${status} ${trigger} ${target}`)),
  );
}

describe("the transition table", () => {
  it("equals the table in the README", () => {
    const rows = everyPair.flatMap(([from, trigger]) =>
      targetsOf(from, trigger).map((to) => `${from} ${trigger} ${to}`),
    );
    expect(rows.toSorted()).toEqual(readmeRows().toSorted());
  });

  it("has no way out of cancelled and expired", () => {
    expect([transitions.cancelled, transitions.expired]).toEqual([{}, {}]);
  });
});

/** What `transition` does: the new status and the number of new history entries, or the error. */
function tryTransition(from: StatusBefore, trigger: Trigger, to: Status) {
  const before = subscriptionThatIs(from);
  try {
    const { entity } = transition({ entity: before, events: [] }, { trigger, to, ...reason });
    return `${entity.status}, history +${entity.history.length - before.history.length}`;
  } catch (error) {
    return String(error);
  }
}

describe("transition", () => {
  it.each(everyPair)("from %s by %s reaches exactly the statuses of the table", (from, trigger) => {
    for (const to of statuses) {
      const isAllowed = targetsOf(from, trigger).includes(to);
      const allowed = `${to}, history +${from === to ? 0 : 1}`;
      const refused = `${trigger} may lead from ${from} to ${to}`;
      expect(tryTransition(from, trigger, to)).toContain(isAllowed ? allowed : refused);
    }
  });
});

const commands = {
  pause: (subscription) => pause(subscription, day(1)),
  resume: (subscription) => resume(subscription, [], day(1)),
  cancel: (subscription) => cancel(subscription, null, day(1)),
  "generate-invoice": (subscription) => requestManualInvoice(subscription, null),
} as const satisfies Partial<
  Record<Trigger, (subscription: Simulation["subscription"]) => ReturnType<typeof pause>>
>;

const simulatedCommands = {
  pause: (simulation) => simulation.pause(),
  resume: (simulation) => simulation.resume(),
  cancel: (simulation) => simulation.cancel(),
  "generate-invoice": (simulation) => simulation.generate(),
} as const satisfies Record<keyof typeof commands, (simulation: Simulation) => string>;

describe.each(statuses.map((status) => [status]))("a subscription that is %s", (status) => {
  it("is simulated with this status", () => {
    expect(simulations[status]().state.status).toBe(status);
  });

  it.each(Object.keys(commands) as (keyof typeof commands)[])(
    "allows or refuses the command %s as the table says",
    (command) => {
      const targets = targetsOf(status, command);
      const expected = targets.length > 0 ? targets : [`Subscription is ${status}`];
      const decision = commands[command](simulations[status]().subscription);
      expect(expected).toContain(decision.ok ? decision.value.entity.status : decision.error.text);
      expect(decision.ok).toBe(targets.length > 0);
      const simulation = simulations[status]();
      const answer = simulatedCommands[command](simulation);
      expect(expected).toContain(answer);
      expect(expected).toContain(targets.length > 0 ? simulation.state.status : answer);
    },
  );

  it("reaches by dates and payments only statuses that the table names", () => {
    const simulation = simulations[status]();
    let before = simulation.state.status;
    for (const today of [9, 11, 14, 22, 29, 60]) {
      simulation.runTo(today);
      const after = simulation.state.status;
      expect(reachableWithoutCommands(before)).toContain(after);
      before = after;
    }
  });
});

/** Several transitions may be due between two days. */
function reachableWithoutCommands(from: Status): readonly Status[] {
  const found = new Set<Status>([from]);
  for (const status of found) {
    for (const trigger of triggers) {
      if (trigger in commands) continue;
      for (const target of targetsOf(status, trigger)) found.add(target);
    }
  }
  return [...found];
}
