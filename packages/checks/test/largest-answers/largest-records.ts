import type { UsedSystem } from "@malipo/testing";
import { createCatalogue, type Order } from "./catalogue-records.ts";
import type { Paths } from "./copies.ts";
import { createInvoices } from "./invoice-records.ts";
import { createOperatorRecords } from "./operator-records.ts";
import { createPayments } from "./payment-records.ts";
import { createSubscriptions } from "./subscription-records.ts";
import { createWebhooks } from "./webhook-records.ts";

export interface LargestRecords {
  readonly order: Order;
  readonly paths: Paths;
}

/**
 * Makes the largest records that creation allows, a page of each, and answers the address of every
 * list and details route. One record of each kind is created through the API; the others are copies
 * of its document.
 */
export async function createLargestRecords(system: UsedSystem): Promise<LargestRecords> {
  const { order, paths } = await createCatalogue(system);
  const all = {
    ...paths,
    ...(await createInvoices(system, order)),
    ...(await createSubscriptions(system, order)),
    ...(await createPayments(system)),
    ...(await createWebhooks(system)),
    ...(await createOperatorRecords(system)),
  };
  return { order, paths: all };
}
