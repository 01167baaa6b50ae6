import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import { type RouteHandler, VersionConflict } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { changeAccount, judgePasskey, viewMethod } from "../../domain/payment-method.ts";

export const updatePaymentMethod =
  ({ methods, settings }: Deps): RouteHandler<typeof routes.updatePaymentMethod> =>
  async ({ businessid, params, body, cause }) => {
    const found = await methods.find(businessid, params.id);
    if (!found || found.entity.deletedat) return err(notFound("payment method"));
    const before = await settings.find(found.entity.settingsid);
    if (!before) throw new Error("a payment method without its settings");
    const account = changeAccount(before, body);
    const judged = judgePasskey(account);
    if (!judged.ok) return judged;
    const settingsid = await settings.keep(businessid, account);
    const changed = await methods.change(businessid, params.id, cause, (method) => {
      // What was merged here must be what is still there.
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
    const inUse = await methods.inUse(businessid);
    return ok({ data: viewMethod(changed.value, inUse?.id ?? null) });
  };
