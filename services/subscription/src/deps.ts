import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  ParkedPlace,
  Service,
} from "@malipo/platform";
import type { Customers } from "./store/customers.ts";
import type { Plans } from "./store/plans.ts";
import type { PromptHours } from "./domain/dunning/prompt-schedule.ts";
import type { Subscriptions } from "./store/subscriptions.ts";

/** The dependencies of handlers, workflows and jobs. */
export interface Deps {
  readonly service: Service;
  /** The address under which customers open pay links. */
  readonly publicUrl: string;
  readonly hours: PromptHours;
  readonly businesses: BusinessViews;
  readonly customers: Customers;
  readonly numbering: Numbering;
  readonly codes: Codes;
  readonly subscriptions: Subscriptions;
  readonly plans: Plans;
  readonly collections: readonly EventfulCollection[];
  /** Where records are parked that failed too often. */
  readonly parked: readonly ParkedPlace[];
}
