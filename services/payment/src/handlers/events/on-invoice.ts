import { shillingsToCents } from "@malipo/core";
import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { linkOfInvoice } from "../../domain/payment-link.ts";

/** Keeps a copy of the link of each invoice. */
export const onInvoice =
  ({ links }: Deps): EventHandler<"invoice.*"> =>
  async (events) => {
    await links.applyInvoiceUpdates(
      events.map(({ businessid, seq, at, data, inside }) =>
        linkOfInvoice({
          businessid,
          linkid: inside.paylink._id,
          code: inside.paylink.code,
          invoiceid: data._id,
          subscriptionid: inside.issuedfor?.subscriptionid ?? null,
          title: inside.title,
          owed: shillingsToCents(data.balance),
          status: data.status === "paid" || data.status === "cancelled" ? data.status : "active",
          seq,
          createdat: new Date(inside.createdat),
          updatedat: new Date(at),
        }),
      ),
    );
    return [];
  };
