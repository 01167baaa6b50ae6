import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { qrPng } from "@malipo/print";
import type { Deps } from "../../deps.ts";

import { findBill } from "../../workflows/find-bill.ts";

export const drawQrPng =
  (deps: Deps): RouteHandler<typeof routes.drawQrPng> =>
  async ({ params, deadline }) => {
    const bill = await findBill(deps, params.code, deadline);
    if (!bill.ok) return bill;
    return ok({ bytes: await qrPng(`${deps.publicUrl}/p/${params.code}`) });
  };
