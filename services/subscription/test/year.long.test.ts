import { describe, expect, it } from "vitest";
import { liveThrough, useYear } from "./real-year.ts";

const year = useYear(true);

describe("four hundred days of five hundred subscriptions, on the services themselves", () => {
  it("are billed as a person with a calendar would bill them", async () => {
    const { invoices, statuses } = await liveThrough(year, {
      seed: 7,
      lives: 500,
      days: 400,
      outages: [
        { who: "subscription", days: 20 },
        { who: "scheduler", days: 40 },
        { who: "invoice", days: 4 },
        { who: "scheduler", days: 9 },
        { who: "invoice", days: 2 },
        { who: "subscription", days: 5 },
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
