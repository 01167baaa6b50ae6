import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { rotateSecret, viewEndpoint } from "../domain/endpoint.ts";
import { changeEndpointOf } from "../workflows/find-endpoint.ts";
import { announceDue } from "../delivery/worker.ts";

export const rotateWebhookSecret =
  ({
    service,
    endpoints,
    queues,
    secrets,
  }: Deps): RouteHandler<typeof routes.rotateWebhookSecret> =>
  async ({ businessid, params, cause }) => {
    const record = { businessid, id: params.id, cause };
    const changed = await changeEndpointOf(endpoints, record, (endpoint) =>
      rotateSecret(endpoint, secrets.mint(endpoint.id), cause.now),
    );
    if (!changed.ok) return changed;
    const endpoint = changed.value;
    // Whoever serves it signs with the new secret from now on.
    announceDue(service, [endpoint.id]);
    const [secret = ""] = secrets.open(endpoint, cause.now);
    const failing = await queues.failingSince([endpoint.id]);
    return ok({ data: { ...viewEndpoint(endpoint, failing.get(endpoint.id) ?? null), secret } });
  };
