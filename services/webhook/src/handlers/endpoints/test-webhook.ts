import type { routes } from "@malipo/contracts";
import { assert, ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import { testDelivery, viewDelivery } from "../../domain/delivery.ts";
import { testDueAt } from "../../store/deliveries.ts";
import { deliveryIdOf } from "../../store/delivery-id.ts";
import type { SendingDeps } from "../../deps.ts";
import { findEnabledEndpoint } from "../../workflows/find-endpoint.ts";
import { storeInTurn } from "../../workflows/store-in-turn.ts";

export const testWebhook =
  (deps: SendingDeps): RouteHandler<typeof routes.testWebhook> =>
  async ({ businessid, params, cause }) => {
    const { endpoints, deliveries, turns } = deps;
    // A repeated operation makes the same event.
    const eventid = `evt_${cause.operationid ?? newId()}`;
    const id = deliveryIdOf(eventid, params.id);
    const repeated = await deliveries.find(businessid, id);
    if (repeated) return ok({ data: viewDelivery(repeated) });
    const endpoint = await findEnabledEndpoint(endpoints, businessid, params.id);
    if (!endpoint.ok) return endpoint;
    const { now } = cause;
    const taken = await turns.tests.take(endpoint.value, 1, now);
    if (!taken.ok) return taken;
    const [turn = now] = taken.value;
    const dueat = turn > now ? turn : testDueAt;
    const test = testDelivery(id, endpoint.value, eventid, { now, dueat });
    await storeInTurn(deps, endpoint.value.id, { turn, now }, () => deliveries.insert([test]));
    const delivery = await deliveries.find(businessid, test.id);
    assert(delivery !== null, "the test delivery is stored");
    return ok({ data: viewDelivery(delivery) });
  };
