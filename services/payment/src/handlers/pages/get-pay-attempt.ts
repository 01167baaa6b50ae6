import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { findBill } from "../../workflows/find-bill.ts";
import { findAttempt } from "../../workflows/find-attempt.ts";

export const getPayAttempt =
  (deps: Deps): RouteHandler<typeof routes.getPayAttempt> =>
  async ({ params, deadline }) => {
    const bill = await findBill(deps, params.code, deadline);
    if (!bill.ok) return bill;
    const found = await findAttempt(deps, bill.value, params.attempt);
    return found ? ok({ data: found }) : err(notFound("payment"));
  };
