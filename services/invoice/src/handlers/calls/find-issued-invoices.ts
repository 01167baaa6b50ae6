import type { calls } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { Deps } from "../../deps.ts";
import { excuseOf, textOfKey } from "../../domain/invoice/invoice.ts";

export const findIssuedInvoices =
  ({ invoices }: Deps): RouteHandler<typeof calls.findIssuedInvoices> =>
  async ({ body: { bills } }) => {
    const businesses = [...new Set(bills.map(({ businessid }) => businessid))];
    const found = await invoices.collection
      .find({
        businessid: { $in: businesses.map((id) => new ObjectId(id)) },
        issuekey: { $in: bills.map(textOfKey), $gt: "" },
      })
      .project({ businessid: 1, issuekey: 1, status: 1, duedate: 1, judged: 1, seq: 1 })
      .toArray();
    const known = new Map(
      found.map((each) => [`${String(each["businessid"])} ${each["issuekey"]}`, each]),
    );
    return ok({
      data: {
        invoices: bills.map((bill) => {
          const invoice = known.get(`${bill.businessid} ${textOfKey(bill)}`);
          if (!invoice) return null;
          const { _id, status, duedate, judged, seq } = invoice;
          const excuse = excuseOf({ status, duedate, judged });
          return { _id: String(_id), status, duedate: duedate.toISOString(), ...excuse, seq };
        }),
      },
    });
  };
