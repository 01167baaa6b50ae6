import type { routes } from "@malipo/contracts";
import { err, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { changeEndpoint, viewEndpoint } from "../../domain/endpoint.ts";
import { changeFoundEndpoint, findEndpoint } from "../../workflows/find-endpoint.ts";
import { receiverFault } from "../../http/receiver-url.ts";
import { announceDue } from "../../delivery/worker.ts";

export const updateWebhook =
  ({ service, endpoints, queues, rules }: Deps): RouteHandler<typeof routes.updateWebhook> =>
  async ({ businessid, params, body, cause }) => {
    const urlFault = receiverFault(body.url, rules);
    if (urlFault) return err(urlFault);
    const record = { businessid, id: params.id, cause };
    const isDropping = body.backlog === "drop";
    if (isDropping) {
      const found = await findEndpoint(endpoints, businessid, params.id);
      if (!found.ok) return found;
      // Before it is enabled, or a worker would send the deliveries that are to be dropped.
      if (!found.value.enabled) await queues.restart(found.value.id, cause.now, cause.now);
    }
    const changed = await changeFoundEndpoint(endpoints, record, (endpoint) =>
      ok(changeEndpoint(endpoint, body, cause.now)),
    );
    if (!changed.ok) return changed;
    const { id } = changed.value;
    // After a new address or an enabling, the owner wants to see an attempt at once.
    if (body.url !== undefined || body.enabled !== undefined) {
      // A repeated change has the time of its first try: later deliveries are not dropped.
      await queues.restart(id, cause.now, isDropping ? changed.value.updatedat : undefined);
      announceDue(service, [id]);
    }
    const failing = await queues.failingSince([id]);
    return ok({ data: viewEndpoint(changed.value, failing.get(id) ?? null) });
  };
