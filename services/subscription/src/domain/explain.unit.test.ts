import { describe, expect, it } from "vitest";
import { day, dayOf, story } from "../../test/story.ts";
import { explain } from "./explain.ts";
import { previewSubscription } from "./preview.ts";
import { holdBack } from "./lifecycle/schedule.ts";

const look = (days: number) => ({ now: day(days), duedays: 3, hours: { from: 0, to: 24 } });

describe("an explanation", () => {
  it("tells what happened and what comes next", () => {
    const life = story();
    life.pay(1);
    life.sleepUntil(8);
    life.workOff();
    expect(explain(life.subscription, day(8))).toEqual([
      "2026-01-01 06:00 UTC: it became active, because it was created.",
      "2026-01-01 06:00 UTC: it was billed for 2026-01-01 06:00 UTC to 2026-01-08 06:00 UTC.",
      "2026-01-08 06:00 UTC: it became pending, because its period ended and renewal was offered (found out on 2026-01-09 06:00 UTC).",
      "2026-01-08 06:00 UTC: renewal was offered for 2026-01-08 06:00 UTC to 2026-01-15 06:00 UTC (found out on 2026-01-09 06:00 UTC).",
      "Open: the renewal of 2026-01-08 06:00 UTC, which is due on 2026-01-12 06:00 UTC.",
      "Next, on 2026-01-22 06:00 UTC: it has waited too long and expires.",
    ]);
  });

  it("says that its business is suspended, and what is due waits", () => {
    const { subscription } = story();
    const held = holdBack(subscription, day(8));
    expect(explain(held, day(9)).at(-1)).toBe(
      "Held back since 2026-01-09 06:00 UTC: its business is suspended.",
    );
  });

  it("says that nothing more will happen", () => {
    const life = story();
    life.cancel();
    expect(explain(life.subscription, day(1)).at(-1)).toBe("Nothing more will happen by itself.");
  });
});

describe("a preview", () => {
  it("is what a run would bill, and changes nothing", () => {
    const life = story({ autorenew: true });
    life.pay(1);
    const before = life.subscription;
    const { becomes, periods } = previewSubscription(before, look(22), day(22));
    expect([becomes, periods]).toEqual(["active", [day(7), day(14), day(21)]]);
    expect(life.subscription).toBe(before);
  });

  it("bills nobody who would be overdue by then", () => {
    const { subscription } = story({ autorenew: true });
    const preview = (until: number) => previewSubscription(subscription, look(1), day(until));
    expect(preview(8)).toEqual({ becomes: "pending", periods: [] });
    expect(preview(30).becomes).toBe("expired");
  });

  it("is what then happens when nobody pays", () => {
    for (const begin of [{ autorenew: true }, {}, { trialDays: 2 }, { endsOn: 9 }]) {
      for (const until of [6, 7, 9, 10, 21, 40]) {
        const life = story(begin);
        if (!begin.trialDays) life.pay(1);
        life.until(1);
        const told = previewSubscription(life.subscription, look(1), day(until));
        const before = life.invoices.length;
        life.until(until);
        expect(told.becomes).toBe(life.state.status);
        const starts = life.invoices.slice(before).map((line) => Number(/ (\d+),/.exec(line)?.[1]));
        expect(told.periods.map(dayOf)).toEqual(starts);
      }
    }
  });
});
