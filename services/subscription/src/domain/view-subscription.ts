import type {
  CreatedSubscription,
  CustomerView,
  SettingsView,
  SubscriptionDetails,
  SubscriptionSummary,
} from "@malipo/contracts";
import { type Cents, cents, centsToShillings, parseShillings } from "@malipo/core";
import type { Subscription, SummarizedSubscription } from "./lifecycle/subscription.ts";
import { viewItem } from "./item.ts";

export function payLinkUrl({ code }: Pick<Subscription, "code">, publicUrl: string): string {
  return `${publicUrl}/p/${code}`;
}

export function viewCreated(subscription: Subscription, publicUrl: string): CreatedSubscription {
  return {
    ...summaryOf(subscription),
    paymentlink: { shorturl: payLinkUrl(subscription, publicUrl) },
    createdat: subscription.createdat.toISOString(),
  };
}

export function viewSummary(subscription: SummarizedSubscription): SubscriptionSummary {
  return {
    ...summaryOf(subscription),
    customerid: subscription.customerid,
    createdat: subscription.createdat.toISOString(),
    updatedat: subscription.updatedat.toISOString(),
  };
}

interface DetailSources {
  readonly customer: CustomerView;
  readonly settings: SettingsView;
  readonly publicUrl: string;
  readonly qrcode: string;
}

export function viewDetails(
  subscription: Subscription,
  { customer, settings, publicUrl, qrcode }: DetailSources,
): SubscriptionDetails {
  return {
    ...summaryOf(subscription),
    fees: centsToShillings(feesOn(subscription.amount, settings)),
    channel: "momo",
    planid: subscription.planid,
    enddate: subscription.enddate?.toISOString() ?? null,
    remark: subscription.remark,
    cancelreason: subscription.cancelreason,
    customer: {
      _id: customer._id,
      name: customer.name,
      email: customer.email,
      phone: customer.phone,
    },
    items: subscription.items.map(viewItem),
    paymentlink: { shorturl: payLinkUrl(subscription, publicUrl), qrcode },
    createdat: subscription.createdat.toISOString(),
    updatedat: subscription.updatedat.toISOString(),
  };
}

function summaryOf(subscription: SummarizedSubscription) {
  const { trial } = subscription;
  return {
    _id: subscription.id,
    subscriptionno: subscription.subscriptionno,
    title: subscription.title,
    status: subscription.status,
    amount: centsToShillings(subscription.amount),
    billingcycle: subscription.billingcycle,
    autorenew: subscription.autorenew,
    trial: trial && {
      startdate: trial.startdate.toISOString(),
      enddate: trial.enddate.toISOString(),
      activesubscription: subscription.status === "trial",
    },
    nextbillingdate: subscription.nextbillingdate?.toISOString() ?? null,
  };
}

/** A percentage, rounded half up, and a fixed part. For information only: fees are never billed. */
function feesOn(amount: Cents, { feepercent, feefixed }: SettingsView): Cents {
  const hundredths = Math.round(feepercent * 100);
  const share = Number((BigInt(amount) * BigInt(hundredths) + 5_000n) / 10_000n);
  const fixed = parseShillings(feefixed);
  return cents(share + (fixed.ok ? fixed.value : 0));
}
