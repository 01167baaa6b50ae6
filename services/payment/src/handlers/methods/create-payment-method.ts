import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { neverChosen, viewMethod } from "../../domain/payment-method.ts";

export const createPaymentMethod =
  ({ methods, settings, provider }: Deps): RouteHandler<typeof routes.createPaymentMethod> =>
  async ({ businessid, body, cause }) => {
    const storenumber = body.type === "till" ? (body.storenumber ?? null) : null;
    const account = { ...body, storenumber };
    const checked = provider.checkAccount(account);
    if (!checked.ok) return checked;
    const isFirst = (await methods.findDefault(businessid)) === null;
    const method = await methods.insert(
      {
        id: newId(),
        businessid,
        type: body.type,
        shortcode: body.shortcode,
        storenumber,
        settingsid: await settings.insert(businessid, account),
        chosenat: isFirst ? cause.now : neverChosen,
        deletedat: null,
        createdat: cause.now,
        updatedat: cause.now,
      },
      [],
      cause,
    );
    const defaultMethod = await methods.findDefault(businessid);
    return ok({ data: viewMethod(method, defaultMethod?.id ?? null) });
  };
