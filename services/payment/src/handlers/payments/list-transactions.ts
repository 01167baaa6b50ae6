import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewTransaction } from "../../domain/transaction/views.ts";

export const listTransactions =
  ({ transactions }: Deps): RouteHandler<typeof routes.listTransactions> =>
  async ({ businessid, query }) => {
    if (query.from && query.to && query.from > query.to) {
      const problem = "must not be after to";
      const fields = [{ path: "from", problem }];
      return err(fault("invalid_request", { text: `from ${problem}`, fields }));
    }
    const { transactions: found, paging } = await transactions.page(businessid, query);
    return ok({ data: found.map(viewTransaction), paging });
  };
