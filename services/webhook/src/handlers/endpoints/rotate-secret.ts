import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { rotateSecret, viewEndpoint } from "../../domain/endpoint.ts";
import { changeFoundEndpoint } from "../../workflows/find-endpoint.ts";
import { announceDue } from "../../delivery/worker.ts";

export const rotateWebhookSecret =
  ({
    service,
    endpoints,
    queues,
    secrets,
  }: Deps): RouteHandler<typeof routes.rotateWebhookSecret> =>
  async ({ businessid, params, cause }) => {
    const record = { businessid, id: params.id, cause };
    const changed = await changeFoundEndpoint(endpoints, record, (endpoint) =>
      rotateSecret(endpoint, secrets.mint(endpoint.id), cause.now),
    );
    if (!changed.ok) return changed;
    const endpoint = changed.value;
    // The worker that has the lease reads the new secret and signs with it.
    announceDue(service, [endpoint.id]);
    const [secret = ""] = secrets.open(endpoint, cause.now);
    const failing = await queues.failingSince([endpoint.id]);
    return ok({ data: { ...viewEndpoint(endpoint, failing.get(endpoint.id) ?? null), secret } });
  };
