import type { routes } from "@malipo/contracts";
import { type RouteHandler, createGetHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewReceipt } from "../../domain/receipt.ts";

export const getReceipt = ({ receipts, publicUrl }: Deps): RouteHandler<typeof routes.getReceipt> =>
  createGetHandler(receipts, "receipt", (receipt) => viewReceipt(receipt, publicUrl));
