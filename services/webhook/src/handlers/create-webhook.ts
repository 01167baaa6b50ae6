import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import { isDuplicateKey, newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { endpointsMax, newEndpoint, viewEndpoint } from "../endpoint.ts";
import { refuseUrl } from "../refuse-url.ts";

const slots = Array.from({ length: endpointsMax }, (_, index) => index + 1);

export const handle =
  ({ endpoints, secrets, rules }: Deps): RouteHandler<typeof routes.createWebhook> =>
  async ({ businessid, body, cause }) => {
    const refusal = refuseUrl(body.url, rules);
    if (refusal) return err(refusal);
    for (;;) {
      const taken = new Set(await endpoints.slotsTaken(businessid));
      const slot = slots.find((each) => !taken.has(each));
      // The last slot may be this operation's own, of its first time.
      const isFull = slot === undefined;
      const id = newId();
      const ids = { id, businessid, slot: slot ?? endpointsMax };
      const draft = newEndpoint(ids, body, secrets.mint(id), cause.now);
      try {
        const endpoint = await endpoints.insert(draft, [], cause);
        const [secret = ""] = secrets.open(endpoint, cause.now);
        return ok({ data: { ...viewEndpoint(endpoint, null), secret } });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        if (isFull) {
          const text = `A business has at most ${endpointsMax} webhooks`;
          return err(fault("conflict", { text }));
        }
      }
    }
  };
