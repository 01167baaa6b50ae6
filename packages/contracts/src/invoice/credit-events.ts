import { z } from "zod";
import { event } from "../definition/event.ts";
import { objectId } from "../definition/fields.ts";

const wholeCents = z.int().min(1);

/** The invoice service's own words to itself: money moves from an invoice to credit, and on. */
export const creditEvents = {
  /** What of these payments is credit now, in all. */
  "credit.granted": event({
    audience: "internal",
    data: z.object({
      invoiceid: objectId,
      customerid: objectId,
      grants: z.array(z.object({ creditid: objectId, cents: wholeCents })),
    }),
  }),
  /** The credit has named an invoice, which is paid with it under this key. */
  "credit.used": event({
    audience: "internal",
    data: z.object({
      customerid: objectId,
      invoiceid: objectId,
      key: z.string(),
      cents: wholeCents,
    }),
  }),
} as const;
