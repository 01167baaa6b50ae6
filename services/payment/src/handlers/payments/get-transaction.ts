import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewTransaction } from "../../domain/transaction/views.ts";

export const getTransaction =
  ({ transactions }: Deps): RouteHandler<typeof routes.getTransaction> =>
  async ({ businessid, params }) => {
    const found = await transactions.find(businessid, params.id);
    return found ? ok({ data: viewTransaction(found.entity) }) : err(notFound("transaction"));
  };
