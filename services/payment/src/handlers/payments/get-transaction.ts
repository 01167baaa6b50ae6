import type { routes } from "@malipo/contracts";
import { type RouteHandler, showRecord } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewTransaction } from "../../domain/transaction/transaction.ts";

export const getTransaction = ({
  transactions,
}: Deps): RouteHandler<typeof routes.getTransaction> =>
  showRecord(transactions, "transaction", viewTransaction);
