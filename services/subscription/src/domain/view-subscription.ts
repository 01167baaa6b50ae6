import type {
  CreatedSubscription,
  CustomerView,
  SettingsView,
  SubscriptionDetails,
  SubscriptionSummary,
} from "@malipo/contracts";
import { type Cents, cents, formatShillings, momentText, parseShillings } from "@malipo/core";
import type { Subscription } from "./lifecycle/subscription.ts";
import { viewItem } from "./view-item.ts";

export function payAddress({ code }: Pick<Subscription, "code">, publicUrl: string): string {
  return `${publicUrl}/p/${code}`;
}

export function viewCreated(subscription: Subscription, publicUrl: string): CreatedSubscription {
  return {
    ...summaryOf(subscription),
    paymentlink: { shorturl: payAddress(subscription, publicUrl) },
    createdat: momentText(subscription.createdat),
  };
}

export function viewSummary(subscription: Subscription): SubscriptionSummary {
  return {
    ...summaryOf(subscription),
    customerid: subscription.customerid,
    createdat: momentText(subscription.createdat),
    updatedat: momentText(subscription.updatedat),
  };
}

interface Around {
  readonly customer: CustomerView;
  readonly settings: SettingsView;
  readonly publicUrl: string;
  readonly qrcode: string;
}

export function viewDetails(
  subscription: Subscription,
  { customer, settings, publicUrl, qrcode }: Around,
): SubscriptionDetails {
  return {
    ...summaryOf(subscription),
    fees: formatShillings(feesOn(subscription.amount, settings)),
    channel: "momo",
    planid: subscription.planid,
    enddate: subscription.enddate && momentText(subscription.enddate),
    remark: subscription.remark,
    cancelreason: subscription.cancelreason,
    customer: {
      _id: customer._id,
      name: customer.name,
      email: customer.email,
      phone: customer.phone,
    },
    items: subscription.items.map(viewItem),
    paymentlink: { shorturl: payAddress(subscription, publicUrl), qrcode },
    createdat: momentText(subscription.createdat),
    updatedat: momentText(subscription.updatedat),
  };
}

function summaryOf(subscription: Subscription) {
  const { trial } = subscription;
  return {
    _id: subscription.id,
    subscriptionno: subscription.subscriptionno,
    title: subscription.title,
    status: subscription.status,
    amount: formatShillings(subscription.amount),
    billingcycle: subscription.billingcycle,
    autorenew: subscription.autorenew,
    trial: trial && {
      startdate: momentText(trial.startdate),
      enddate: momentText(trial.enddate),
      activesubscription: subscription.status === "trial",
    },
    nextbillingdate: subscription.nextbillingdate && momentText(subscription.nextbillingdate),
  };
}

/** A percentage, rounded half up, and a fixed part: told, never billed. */
function feesOn(amount: Cents, { feepercent, feefixed }: SettingsView): Cents {
  const hundredths = Math.round(feepercent * 100);
  const share = Number((BigInt(amount) * BigInt(hundredths) + 5_000n) / 10_000n);
  const fixed = parseShillings(feefixed);
  return cents(share + (fixed.ok ? fixed.value : 0));
}
