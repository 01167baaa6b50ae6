import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { judgePasskey, neverChosen, viewMethod } from "../../domain/payment-method.ts";

export const createPaymentMethod =
  ({ methods, settings }: Deps): RouteHandler<typeof routes.createPaymentMethod> =>
  async ({ businessid, body, cause }) => {
    const storenumber = body.type === "till" ? (body.storenumber ?? null) : null;
    const account = { ...body, storenumber };
    const judged = judgePasskey(account);
    if (!judged.ok) return judged;
    const isFirst = (await methods.inUse(businessid)) === null;
    const method = await methods.insert(
      {
        id: newId(),
        businessid,
        type: body.type,
        shortcode: body.shortcode,
        storenumber,
        settingsid: await settings.keep(businessid, account),
        chosenat: isFirst ? cause.now : neverChosen,
        deletedat: null,
        createdat: cause.now,
        updatedat: cause.now,
      },
      [],
      cause,
    );
    const inUse = await methods.inUse(businessid);
    return ok({ data: viewMethod(method, inUse?.id ?? null) });
  };
