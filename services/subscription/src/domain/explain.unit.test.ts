import { describe, expect, it } from "vitest";
import { day, dayOf, simulate } from "../../test/simulated-subscription.ts";
import { explain } from "./explain.ts";
import { previewSubscription } from "./preview.ts";
import { holdBack } from "./lifecycle/schedule.ts";

const context = (days: number) => ({ now: day(days), duedays: 3, hours: { from: 0, to: 24 } });

describe("explain", () => {
  it("lists the history, the open invoices and the next transition", () => {
    const simulation = simulate();
    simulation.pay(1);
    simulation.skipTo(8);
    simulation.processDue();
    expect(explain(simulation.subscription, day(8))).toEqual([
      "2026-01-01 06:00 UTC: it became active, because it was created.",
      "2026-01-01 06:00 UTC: it was billed for 2026-01-01 06:00 UTC to 2026-01-08 06:00 UTC.",
      "2026-01-08 06:00 UTC: it became pending, because its period ended and renewal was offered (found out on 2026-01-09 06:00 UTC).",
      "2026-01-08 06:00 UTC: renewal was offered for 2026-01-08 06:00 UTC to 2026-01-15 06:00 UTC (found out on 2026-01-09 06:00 UTC).",
      "Open: the renewal of 2026-01-08 06:00 UTC, which is due on 2026-01-12 06:00 UTC.",
      "Next, on 2026-01-22 06:00 UTC: it has waited too long and expires.",
    ]);
  });

  it("says since when the subscription is held back while its business is suspended", () => {
    const { subscription } = simulate();
    const held = holdBack(subscription, day(8));
    expect(explain(held, day(9)).at(-1)).toBe(
      "Held back since 2026-01-09 06:00 UTC: its business is suspended.",
    );
  });

  it("says that nothing more will happen after the end", () => {
    const simulation = simulate();
    simulation.cancel();
    expect(explain(simulation.subscription, day(1)).at(-1)).toBe(
      "Nothing more will happen by itself.",
    );
  });
});

describe("previewSubscription", () => {
  it("lists the periods that a run would bill and changes nothing", () => {
    const simulation = simulate({ autorenew: true });
    simulation.pay(1);
    const before = simulation.subscription;
    const { becomes, periods } = previewSubscription(before, context(22), day(22));
    expect([becomes, periods]).toEqual(["active", [day(7), day(14), day(21)]]);
    expect(simulation.subscription).toBe(before);
  });

  it("lists no period after the subscription would be pending", () => {
    const { subscription } = simulate({ autorenew: true });
    const preview = (until: number) => previewSubscription(subscription, context(1), day(until));
    expect(preview(8)).toEqual({ becomes: "pending", periods: [] });
    expect(preview(30).becomes).toBe("expired");
  });

  it("equals what the simulation bills when no invoice is paid", () => {
    for (const terms of [{ autorenew: true }, {}, { trialDays: 2 }, { endsOn: 9 }]) {
      for (const until of [6, 7, 9, 10, 21, 40]) {
        const simulation = simulate(terms);
        if (!terms.trialDays) simulation.pay(1);
        simulation.runTo(1);
        const preview = previewSubscription(simulation.subscription, context(1), day(until));
        const before = simulation.invoices.length;
        simulation.runTo(until);
        expect(preview.becomes).toBe(simulation.state.status);
        const starts = simulation.invoices
          .slice(before)
          .map((line) => Number(/ (\d+),/.exec(line)?.[1]));
        expect(preview.periods.map(dayOf)).toEqual(starts);
      }
    }
  });
});
