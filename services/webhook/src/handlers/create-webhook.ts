import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import { DuplicateRecord, newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { endpointsMax, newEndpoint, viewEndpoint } from "../domain/endpoint.ts";
import { refuseUrl } from "../workflows/refuse-url.ts";

const slots = Array.from({ length: endpointsMax }, (_, index) => index + 1);

export const createWebhook =
  ({ endpoints, secrets, rules }: Deps): RouteHandler<typeof routes.createWebhook> =>
  async ({ businessid, body, cause }) => {
    const refusal = refuseUrl(body.url, rules);
    if (refusal) return err(refusal);
    for (;;) {
      const taken = new Set(await endpoints.slotsTaken(businessid));
      const free = slots.filter((slot) => !taken.has(slot));
      // Any of them, so that those who ask together do not all want the same one. Without one free,
      // the last may be this operation's own, of its first time.
      const slot = free[Math.floor(Math.random() * free.length)] ?? endpointsMax;
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
