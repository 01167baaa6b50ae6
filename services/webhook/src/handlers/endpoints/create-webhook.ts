import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import { DuplicateRecord, newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { endpointsMax, newEndpoint, viewEndpoint } from "../../domain/endpoint.ts";
import { receiverFault } from "../../http/receiver-url.ts";

const slots = Array.from({ length: endpointsMax }, (_, index) => index + 1);

export const createWebhook =
  ({ service, endpoints, secrets, rules }: Deps): RouteHandler<typeof routes.createWebhook> =>
  async ({ businessid, body, cause }) => {
    const urlFault = receiverFault(body.url, rules);
    if (urlFault) return err(urlFault);
    for (;;) {
      const taken = new Set(await endpoints.slotsTaken(businessid));
      const free = slots.filter((slot) => !taken.has(slot));
      // A random one, so that requests at the same time seldom try the same slot. When none is free,
      // this operation may have taken the last one in an earlier try.
      const slot = free[Math.floor(service.random() * free.length)] ?? endpointsMax;
      const id = newId();
      const draft = newEndpoint({ id, businessid, slot }, body, secrets.mint(id), cause.now);
      try {
        const endpoint = await endpoints.insert(draft, [], cause);
        const [secret = ""] = secrets.open(endpoint, cause.now);
        return ok({ data: { ...viewEndpoint(endpoint, null), secret } });
      } catch (error) {
        if (!(error instanceof DuplicateRecord)) throw error;
        if (free.length === 0) {
          const text = `A business has at most ${endpointsMax} webhooks`;
          return err(fault("conflict", { text }));
        }
      }
    }
  };
