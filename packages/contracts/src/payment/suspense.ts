import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";
import { listQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";
import { referenceid } from "./payment.ts";

const operatorRoute = { audience: "operator", service: "payment", rateClass: "none" } as const;

/** Money that arrived and matches no payment. */
const suspenseView = z.object({
  _id: objectId,
  kind: z.enum(["wrong_amount", "receipt_seen_twice", "second_receipt", "unknown_request"]),
  businessid: objectId.nullable(),
  /** The transaction whose callback reported the money. */
  transactionid: objectId,
  amount: z.number().nullable(),
  momoreceiptnumber: z.string().nullable(),
  checkoutrequestid: z.string(),
  status: z.enum(["open", "assigned", "closed"]),
  assignedto: objectId.nullable(),
  note: z.string().nullable(),
  createdat: timestamp,
});

export type SuspenseView = z.infer<typeof suspenseView>;

export const suspenseRoutes = {
  listSuspense: route({
    ...operatorRoute,
    verb: "list-suspense",
    method: "GET",
    path: "/operator/suspense/list",
    summary: "Money that came and matches nothing, oldest first",
    query: listQuery({ status: z.enum(["open", "assigned", "closed"]).default("open") }),
    reply: { status: 200, data: z.array(suspenseView), paging: "meta" },
  }),
  assignSuspense: route({
    ...operatorRoute,
    verb: "assign-suspense",
    method: "POST",
    path: "/operator/suspense/assign/:id",
    summary: "Count it for a transaction, or close it with a note",
    params: { id: "suspense entry" },
    body: z
      .object({ transactionid: objectId.optional(), note: referenceid.optional() })
      .refine(({ transactionid, note }) => transactionid !== undefined || note !== undefined, {
        error: "must have a transactionid or a note",
      }),
    faultCodes: ["conflict"],
    reply: { status: 200, message: "Assigned successfully", data: suspenseView },
  }),
} as const;
