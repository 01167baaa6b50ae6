import type { routes } from "@malipo/contracts";
import { assert, ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import { firstOfAll } from "../store/deliveries.ts";
import { viewDelivery } from "../domain/delivery.ts";
import type { Deps } from "../deps.ts";
import { testDelivery } from "../workflows/fan-out.ts";
import { findEnabled } from "../workflows/find-endpoint.ts";
import { announceDue } from "../delivery/worker.ts";

export const testWebhook =
  ({ service, endpoints, deliveries, queues }: Deps): RouteHandler<typeof routes.testWebhook> =>
  async ({ businessid, params, cause }) => {
    const endpoint = await findEnabled(endpoints, businessid, params.id);
    if (!endpoint.ok) return endpoint;
    // The same operation makes the same event, however often it is asked for.
    const eventid = `evt_${cause.operationid ?? newId()}`;
    const test = testDelivery(endpoint.value, eventid, cause.now, firstOfAll);
    await deliveries.insert([test]);
    await queues.restart(endpoint.value.id, cause.now);
    announceDue(service, [endpoint.value.id]);
    const delivery = await deliveries.find(businessid, test.id);
    assert(delivery !== null, "what was just inserted is there");
    return ok({ data: viewDelivery(delivery) });
  };
