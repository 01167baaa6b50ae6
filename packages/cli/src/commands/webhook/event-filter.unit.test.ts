import { describe, expect, it } from "vitest";
import { parseEventFilter } from "./event-filter.ts";

describe("the event filter", () => {
  it.each([
    ["*", "invoice.paid", true],
    ["invoice.paid", "invoice.paid", true],
    ["invoice.paid", "invoice.partially_paid", false],
    ["payment.*, invoice.paid", "payment.failed", true],
    ["payment.*, invoice.paid", "invoice.paid", true],
    ["payment.*", "invoice.paid", false],
    ["subscription.*", "subscription.renewed", true],
  ])("%j accepts %s: %s", (filter, type, isAccepted) => {
    expect(parseEventFilter(filter)(type)).toBe(isAccepted);
  });

  it.each(["", "invoice.payed", "product.created", "invoice.paid,,"])(
    "%j is a usage error",
    (text) => {
      expect(() => parseEventFilter(text)).toThrow(/^--events must be one of/);
    },
  );
});
