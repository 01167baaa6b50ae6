import { describe, expect, it } from "vitest";
import { story } from "../../../test/story.ts";
import { allows, next, type Status, statuses, type Trigger } from "./states.ts";

/** A life that has come to a status, and is looked at on the day after. */
const lives: Readonly<Record<Status, () => ReturnType<typeof story>>> = {
  trial: () => story({ trialDays: 10 }),
  active: () => paid(),
  pending: () => {
    const life = paid();
    life.until(8);
    return life;
  },
  paused: () => {
    const life = paid();
    life.pause();
    return life;
  },
  cancelled: () => {
    const life = paid();
    life.cancel();
    return life;
  },
  expired: () => {
    const life = story({ endsOn: 1 });
    life.until(1);
    return life;
  },
};

function paid() {
  const life = story();
  life.pay(1);
  return life;
}

const commands = {
  pause: (life) => life.pause(),
  resume: (life) => life.resume(),
  cancel: (life) => life.cancel(),
  "invoice-by-hand": (life) => life.generate(),
} as const satisfies Partial<Record<Trigger, (life: ReturnType<typeof story>) => string>>;

describe.each(statuses.map((status) => [status]))("a subscription that is %s", (status) => {
  it("is what the test takes it for", () => {
    expect(lives[status]().state.status).toBe(status);
  });

  it.each(Object.entries(commands))("answers %s as the table says", (trigger, give) => {
    const life = lives[status]();
    const answer = give(life);
    const targets = next[status] as Partial<Record<string, readonly Status[]>>;
    const expected = targets[trigger] ?? [`Subscription is ${status}`];
    expect(expected).toContain(answer);
    expect(expected).toContain(allows(status, trigger as Trigger) ? life.state.status : answer);
  });

  it("goes nowhere by time and money alone that the table does not name", () => {
    const life = lives[status]();
    let before = life.state.status;
    for (const day of [9, 11, 14, 22, 29, 60]) {
      life.until(day);
      const after = life.state.status;
      const reachable = reachableByItself(before);
      expect(reachable).toContain(after);
      before = after;
    }
  });
});

/** Several moments may pass between two looks. */
function reachableByItself(from: Status): readonly Status[] {
  const found = new Set<Status>([from]);
  for (const status of found) {
    for (const [trigger, targets] of Object.entries(next[status])) {
      if (!(trigger in commands)) targets.forEach((target: Status) => found.add(target));
    }
  }
  return [...found];
}
