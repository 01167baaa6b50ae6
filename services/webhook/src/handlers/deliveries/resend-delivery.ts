import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewDelivery } from "../../domain/delivery.ts";
import type { SendingDeps } from "../../deps.ts";
import { findEnabledEndpoint } from "../../workflows/find-endpoint.ts";
import { resendDueAt } from "../../store/deliveries.ts";
import { storeInTurn } from "../../workflows/store-in-turn.ts";

export const resendDelivery =
  (deps: SendingDeps): RouteHandler<typeof routes.resendDelivery> =>
  async ({ businessid, params, cause }) => {
    const { endpoints, deliveries, turns } = deps;
    const { now } = cause;
    const repeated = await deliveries.findResent(businessid, params.id, cause);
    if (repeated) return ok({ data: viewDelivery(repeated) });
    const found = await deliveries.find(businessid, params.id);
    if (!found) return err(notFound("delivery"));
    const endpoint = await findEnabledEndpoint(endpoints, businessid, found.endpointid);
    if (!endpoint.ok) return endpoint;
    const taken = await turns.resends.take(endpoint.value, 1, now);
    if (!taken.ok) return taken;
    const [turn = now] = taken.value;
    const dueat = turn > now ? turn : resendDueAt;
    const resent = await storeInTurn(deps, found.endpointid, { turn, now }, () =>
      deliveries.resend(businessid, params.id, cause, dueat),
    );
    if (!resent) return err(notFound("delivery"));
    return ok({ data: viewDelivery(resent) });
  };
