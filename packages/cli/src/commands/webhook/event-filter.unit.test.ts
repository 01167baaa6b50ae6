import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import {
  parseEventChoice,
  parseSigningSecret,
  parseTarget,
  usualSigningSecret,
} from "./event-filter.ts";

describe("the choice of events", () => {
  it.each([
    ["*", "invoice.paid", true],
    ["invoice.paid", "invoice.paid", true],
    ["invoice.paid", "invoice.partially_paid", false],
    ["payment.*, invoice.paid", "payment.failed", true],
    ["payment.*, invoice.paid", "invoice.paid", true],
    ["payment.*", "invoice.paid", false],
    ["subscription.*", "subscription.renewed", true],
  ])("%j and %s: %s", (choice, type, isWanted) => {
    expect(parseEventChoice(choice)(type)).toBe(isWanted);
  });

  it.each(["", "invoice.payed", "product.created", "invoice.paid,,"])("refuses %j", (text) => {
    expect(() => parseEventChoice(text)).toThrow(/^--events must be one of/);
  });
});

describe("the target", () => {
  it.each([
    ["http://localhost:3000/hook", "http://localhost:3000/hook"],
    ["localhost:3000/hook?a=1#part", "http://localhost:3000/hook?a=1"],
    ["127.0.0.1:80", "http://127.0.0.1/"],
    ["https://example.co.ke", "https://example.co.ke/"],
  ])("%s is %s", (text, url) => {
    expect(parseTarget(text)).toBe(url);
  });

  it.each(["", "ftp://here", "http://me:word@here", "me@here:80", "http://", ":3000"])(
    "refuses %j",
    (text) => {
      expect(() => parseTarget(text)).toThrow(/^--forward must be/);
    },
  );
});

describe("the signing secret", () => {
  it("is the same for the same business's secret, another for another, and can be signed with", () => {
    const secret = usualSigningSecret("sk_one");
    expect(usualSigningSecret("sk_one")).toBe(secret);
    expect(usualSigningSecret("sk_two")).not.toBe(secret);
    expect(parseSigningSecret(secret)).toBe(secret);
    expect(() => new Webhook(secret)).not.toThrow();
  });

  it.each(["", "whsec_", "whsec_c2hvcnQ=", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_ü"])(
    "refuses %j",
    (text) => {
      expect(() => parseSigningSecret(text)).toThrow(/^--secret must be/);
    },
  );
});
