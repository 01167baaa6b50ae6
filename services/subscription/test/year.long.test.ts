import { describe, expect, it } from "vitest";
import { runYear, useYearSystem } from "./run-year.ts";

const year = useYearSystem(true);

describe("400 days of 500 subscriptions on the running services", () => {
  it("are billed as the expected year says, despite outages and killed workers", async () => {
    const { invoices, statuses } = await runYear(year, {
      seed: 7,
      subscriptions: 500,
      days: 400,
      outages: [
        { worker: "subscription", days: 20 },
        { worker: "scheduler", days: 40 },
        { worker: "invoice", days: 4 },
        { worker: "scheduler", days: 9 },
        { worker: "invoice", days: 2 },
        { worker: "subscription", days: 5 },
      ],
      kills: [
        "subscription",
        "scheduler",
        "invoice",
        "subscription",
        "invoice",
        "scheduler",
        "subscription",
        "invoice",
      ],
      scheduled: true,
    });
    expect(invoices).toBeGreaterThan(1_500);
    expect(statuses.length).toBeGreaterThan(3);
  }, 5_400_000);
});
