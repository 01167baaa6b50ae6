import { describe, expect, it } from "vitest";
import { day, simulate } from "../../test/simulated-subscription.ts";
import { fromStored, storedFrom, toStored } from "./subscription-document.ts";

describe("the document of a subscription", () => {
  const subscription = {
    ...simulate({ autorenew: true }).subscription,
    expiringSince: day(1),
    expiryRetryAt: day(2),
    mustWithdrawOffers: true,
    promptCount: 3,
    failedAttempts: 4,
    heldBackSince: day(5),
  };

  it("keeps the field names of release 0.1.0", () => {
    expect(toStored(subscription)).toMatchObject({
      rhythm: subscription.billingAnchor,
      expiring: day(1),
      expirefrom: day(2),
      withdrawing: true,
      byhand: { n: 1, asked: false },
      prompts: 3,
      tries: 4,
      heldback: day(5),
    });
    expect(Object.keys(toStored(subscription)).filter((name) => /[A-Z]/.test(name))).toEqual([]);
  });

  it("becomes the same subscription when it is read", () => {
    const { id, businessid, ...fields } = toStored(subscription);
    expect(fromStored(storedFrom({ id, businessid }, fields))).toEqual(subscription);
  });

  it("is not held back when it was written before that field existed", () => {
    const { id, businessid, heldback: _heldback, ...fields } = toStored(subscription);
    expect(storedFrom({ id, businessid }, fields).heldback).toBeNull();
  });
});
