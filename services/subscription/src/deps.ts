import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  ParkedPlace,
  Service,
} from "@malipo/platform";
import type { Customers } from "./customers.ts";
import type { DescribeOrder } from "./describe-orders.ts";
import type { Plans } from "./plans.ts";
import type { PromptHours } from "./prompt-hours.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** What handlers work with. */
export interface Deps {
  readonly service: Service;
  /** Where customers reach what pay links point to. */
  readonly publicUrl: string;
  readonly hours: PromptHours;
  readonly businesses: BusinessViews;
  readonly customers: Customers;
  readonly describeOrder: DescribeOrder;
  readonly numbering: Numbering;
  readonly codes: Codes;
  readonly subscriptions: Subscriptions;
  readonly plans: Plans;
  readonly collections: readonly EventfulCollection[];
  /** Where what failed too often waits for an operator. */
  readonly parked: readonly ParkedPlace[];
}
