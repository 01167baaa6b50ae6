import type { UsedSystem } from "@malipo/testing";
import { createCatalogue } from "./catalogue-records.ts";
import type { Paths } from "./copies.ts";
import { createInvoices } from "./invoice-records.ts";
import { createOperatorRecords } from "./operator-records.ts";
import { createPayments } from "./payment-records.ts";
import { createSubscriptions } from "./subscription-records.ts";
import { createWebhooks } from "./webhook-records.ts";

/**
 * Makes the largest records that creation allows, a page of each, and answers the address of every
 * list and details route. One record of each kind is created through the API; the others are copies
 * of its document.
 */
export async function createLargestRecords(system: UsedSystem): Promise<Paths> {
  const { order, paths } = await createCatalogue(system);
  return {
    ...paths,
    ...(await createInvoices(system, order)),
    ...(await createSubscriptions(system, order)),
    ...(await createPayments(system)),
    ...(await createWebhooks(system)),
    ...(await createOperatorRecords(system)),
  };
}
