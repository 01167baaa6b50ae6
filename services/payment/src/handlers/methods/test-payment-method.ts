import type { routes } from "@malipo/contracts";
import { err, fault, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const testPaymentMethod =
  ({ methods, settings, provider }: Deps): RouteHandler<typeof routes.testPaymentMethod> =>
  async ({ businessid, params }) => {
    const found = await methods.find(businessid, params.id);
    if (!found || found.entity.deletedat) return err(notFound("payment method"));
    const account = await settings.find(found.entity.settingsid);
    if (!account) throw new Error(`payment method ${found.entity.id} has no settings`);
    const tested = await provider.test(account);
    if (tested.kind === "works") return ok({ data: { _id: found.entity.id } });
    const { details } = tested;
    return err(
      fault(tested.kind === "refused" ? "provider_refused" : "provider_unreachable", { details }),
    );
  };
