import type { routes } from "@malipo/contracts";
import { assert, ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import { testDelivery, viewDelivery } from "../../domain/delivery.ts";
import { priorityDueAt } from "../../store/deliveries.ts";
import { deliveryIdOf } from "../../store/delivery-id.ts";
import type { Deps } from "../../deps.ts";
import { findEnabledEndpoint } from "../../workflows/find-endpoint.ts";
import { announceDue } from "../../delivery/worker.ts";

export const testWebhook =
  ({ service, endpoints, deliveries, queues }: Deps): RouteHandler<typeof routes.testWebhook> =>
  async ({ businessid, params, cause }) => {
    const endpoint = await findEnabledEndpoint(endpoints, businessid, params.id);
    if (!endpoint.ok) return endpoint;
    // A repeated operation makes the same event.
    const eventid = `evt_${cause.operationid ?? newId()}`;
    const id = deliveryIdOf(eventid, endpoint.value.id);
    const test = testDelivery(id, endpoint.value, eventid, {
      now: cause.now,
      dueat: priorityDueAt,
    });
    await deliveries.insert([test]);
    await queues.restart(endpoint.value.id, cause.now);
    announceDue(service, [endpoint.value.id]);
    const delivery = await deliveries.find(businessid, test.id);
    assert(delivery !== null, "the test delivery is stored");
    return ok({ data: viewDelivery(delivery) });
  };
