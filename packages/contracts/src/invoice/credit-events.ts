import { z } from "zod";
import { event } from "../definition/event.ts";
import { objectId } from "../definition/fields.ts";

const wholeCents = z.int().min(1);

/** Only the invoice service consumes these events. Money moves from an invoice to credit, and to the next invoice. */
export const creditEvents = {
  /** The total of each payment that is now credit. */
  "credit.granted": event({
    audience: "internal",
    data: z.object({
      invoiceid: objectId,
      customerid: objectId,
      grants: z.array(z.object({ creditid: objectId, cents: wholeCents })),
    }),
  }),
  /** Credit is assigned to an invoice, which records it as a payment under this key. */
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
