import { addMs, minuteMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { dawn, story } from "../../../test/story.ts";
import { awaitOutcome } from "./prompt-schedule.ts";
import type { Subscription } from "../lifecycle/subscription.ts";
import { claim } from "../../workflows/send-prompt.ts";

const always = { from: 0, to: 24 };
const payable = {
  invoiceid: "f".repeat(24),
  payable: true,
  reason: null,
  owed: 100,
  reserved: 0,
  customer: { phone: "254712345678" as string | null },
};
const phoneless = { ...payable, customer: { phone: null } };

const later = (minutes: number) => addMs(dawn, minutes * minuteMs);

function the({ invoices: [invoice] }: Subscription) {
  if (!invoice) throw new Error("a subscription that renews itself begins with an invoice");
  return invoice;
}

function claimed() {
  const { subscription } = story({ autorenew: true });
  return claim(subscription, the(subscription), payable, dawn, always);
}

describe("a prompt that was claimed", () => {
  it("is asked for again in a minute while nobody answers, though its invoice is paid otherwise", () => {
    const paidOtherwise = { ...payable, payable: false, reserved: 100 };
    const again = claim(claimed(), the(claimed()), paidOtherwise, later(1), always);
    expect(the(again).prompting).toMatchObject({ attempt: 1, claimed: dawn, nextat: later(2) });
  });

  it("ends when its customer has no phone any more", () => {
    const ended = claim(claimed(), the(claimed()), phoneless, later(1), always);
    expect(the(ended).prompting).toMatchObject({
      claimed: null,
      nextat: null,
      reason: "the customer has no phone",
    });
  });

  it("has its outcome still when it is known to ring", () => {
    const ringing = awaitOutcome(claimed(), the(claimed()), "e".repeat(24), dawn);
    const over = claim(ringing, the(ringing), phoneless, later(26 * 60), always);
    expect(the(over).prompting).toMatchObject({ claimed: null, reason: "unresolved" });
  });
});
