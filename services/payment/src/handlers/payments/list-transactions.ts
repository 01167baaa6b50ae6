import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewTransaction } from "../../domain/transaction/transaction.ts";
import { filterOf } from "../../store/transaction-filter.ts";

export const listTransactions =
  ({ transactions }: Deps): RouteHandler<typeof routes.listTransactions> =>
  async ({ businessid, query }) => {
    const filter = filterOf(query);
    if (!filter.ok) return filter;
    const { entities, paging } = await transactions.page(businessid, filter.value, query);
    return ok({ data: entities.map(viewTransaction), paging });
  };
