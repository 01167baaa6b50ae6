import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { SendingDeps } from "../../deps.ts";
import { findEnabledEndpoint } from "../../workflows/find-endpoint.ts";
import { storeInTurn } from "../../workflows/store-in-turn.ts";

export const resendFailedDeliveries =
  (deps: SendingDeps): RouteHandler<typeof routes.resendFailedDeliveries> =>
  async ({ businessid, params, body, cause: { now } }) => {
    const { endpoints, deliveries, turns } = deps;
    const endpoint = await findEnabledEndpoint(endpoints, businessid, params.id);
    if (!endpoint.ok) return endpoint;
    const { id } = endpoint.value;
    const since = body.since === undefined ? new Date(0) : new Date(body.since);
    const { failed, more } = await deliveries.failedSince(id, since, now);
    const taken = await turns.resends.take(endpoint.value, failed.length, now);
    if (!taken.ok) return taken;
    const [turn] = taken.value;
    // Nothing to send: the receiver's rest goes on.
    if (!turn) return ok({ data: { resent: 0, more } });
    const resent = await storeInTurn(deps, id, { turn, now }, () =>
      deliveries.resendMany(failed, taken.value, now),
    );
    return ok({ data: { resent, more } });
  };
