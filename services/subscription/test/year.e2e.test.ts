import { describe, expect, it } from "vitest";
import { runYear, useYearSystem } from "./run-year.ts";

const year = useYearSystem(false);

describe("60 days of 30 subscriptions on the running services", () => {
  it("are billed as the expected year says, despite outages and killed workers", async () => {
    const { invoices, statuses } = await runYear(year, {
      seed: 3,
      subscriptions: 30,
      days: 60,
      outages: [
        { worker: "subscription", days: 16 },
        { worker: "subscription", days: 10 },
        { worker: "invoice", days: 3 },
      ],
      kills: ["subscription", "subscription"],
      scheduled: false,
    });
    expect(invoices).toBeGreaterThan(50);
    expect(statuses.length).toBeGreaterThan(2);
  }, 240_000);
});
