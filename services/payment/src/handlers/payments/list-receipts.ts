import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { Deps } from "../../deps.ts";
import { viewReceipt } from "../../domain/receipt.ts";

export const listReceipts =
  ({ receipts, publicUrl }: Deps): RouteHandler<typeof routes.listReceipts> =>
  async ({ businessid, query }) => {
    const { invoiceid, transactionid } = query;
    const filter = {
      ...(invoiceid !== undefined && { invoiceid: invoiceid.toLowerCase() }),
      ...(transactionid !== undefined && { _id: new ObjectId(transactionid) }),
    };
    const { entities, paging } = await receipts.page(businessid, filter, query);
    return ok({ data: entities.map((receipt) => viewReceipt(receipt, publicUrl)), paging });
  };
