import { describe, expect, it } from "vitest";
import { liveThrough, useYear } from "./real-year.ts";

const year = useYear(false);

describe("two months of thirty subscriptions, on the services themselves", () => {
  it("are billed as a person with a calendar would bill them", async () => {
    const { invoices, statuses } = await liveThrough(year, {
      seed: 3,
      lives: 30,
      days: 60,
      outages: [
        { who: "subscription", days: 16 },
        { who: "subscription", days: 10 },
        { who: "invoice", days: 3 },
      ],
      kills: ["subscription", "subscription"],
      scheduled: false,
    });
    expect(invoices).toBeGreaterThan(50);
    expect(statuses.length).toBeGreaterThan(2);
  }, 240_000);
});
