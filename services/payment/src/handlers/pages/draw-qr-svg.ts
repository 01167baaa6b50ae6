import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { qrSvg } from "@malipo/print";
import type { Deps } from "../../deps.ts";

import { findBill } from "../../workflows/find-bill.ts";

export const drawQrSvg =
  (deps: Deps): RouteHandler<typeof routes.drawQrSvg> =>
  async ({ params, deadline }) => {
    const bill = await findBill(deps, params.code, deadline);
    if (!bill.ok) return bill;
    return ok({ bytes: await qrSvg(`${deps.publicUrl}/p/${params.code}`) });
  };
