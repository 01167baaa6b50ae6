import type { routes } from "@malipo/contracts";
import { ok, shillingsToCents } from "@malipo/core";
import { drawLinkCode, newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewLink } from "../../domain/payment-link.ts";

const drawCode = () => drawLinkCode("standalone");

export const createPaymentLink =
  ({ links, codes, publicUrl }: Deps): RouteHandler<typeof routes.createPaymentLink> =>
  async ({ businessid, body, cause }) => {
    const id = newId();
    const [code = ""] = await codes.create([{ businessid, recordid: id, draw: drawCode }]);
    const link = await links.insert(
      {
        id,
        businessid,
        owner: "standalone",
        code,
        title: body.title,
        description: body.description ?? null,
        amount: body.amount === undefined ? null : shillingsToCents(body.amount),
        reusable: body.reusable,
        expiresat: body.expiresat === undefined ? null : new Date(body.expiresat),
        referenceid: body.referenceid ?? null,
        invoiceid: null,
        subscriptionid: null,
        status: "active",
        heardseq: 0,
        createdat: cause.now,
        updatedat: cause.now,
      },
      [],
      cause,
    );
    return ok({ data: viewLink(link, publicUrl, cause.now) });
  };
