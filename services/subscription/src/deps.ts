import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  ParkedPlace,
  Service,
} from "@malipo/platform";
import type { Customers } from "./store/customers.ts";
import type { DescribeOrder } from "./workflows/describe-orders.ts";
import type { Plans } from "./store/plans.ts";
import type { PromptHours } from "./domain/dunning/prompt-hours.ts";
import type { Subscriptions } from "./store/subscriptions.ts";

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
