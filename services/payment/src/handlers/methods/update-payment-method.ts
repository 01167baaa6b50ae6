import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import { type RouteHandler, VersionConflict } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { mergeAccount, viewMethod } from "../../domain/payment-method.ts";

export const updatePaymentMethod =
  ({ methods, settings, provider }: Deps): RouteHandler<typeof routes.updatePaymentMethod> =>
  async ({ businessid, params, body, cause }) => {
    const found = await methods.find(businessid, params.id);
    if (!found || found.entity.deletedat) return err(notFound("payment method"));
    const before = await settings.find(found.entity.settingsid);
    if (!before) throw new Error(`payment method ${found.entity.id} has no settings`);
    const account = mergeAccount(before, body);
    const checked = provider.checkAccount(account);
    if (!checked.ok) return checked;
    const settingsid = await settings.insert(businessid, account);
    const changed = await methods.update(businessid, params.id, cause, (method) => {
      // `account` was merged from the settings that were read above, so they must still be current.
      if (method.settingsid !== found.entity.settingsid) throw new VersionConflict(method.id);
      return ok({
        entity: {
          ...method,
          shortcode: account.shortcode,
          storenumber: account.storenumber,
          settingsid,
          chosenat: body.default ? cause.now : method.chosenat,
          updatedat: cause.now,
        },
        events: [],
      });
    });
    if (!changed) return err(notFound("payment method"));
    if (!changed.ok) return changed;
    const defaultMethod = await methods.findDefault(businessid);
    return ok({ data: viewMethod(changed.value, defaultMethod?.id ?? null) });
  };
