import { z } from "zod";
import { objectId, timestamp } from "../definition/fields.ts";
import { pageQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";

const daySeconds = 24 * 60 * 60;

const keyView = z.object({
  _id: objectId,
  businessid: objectId,
  status: z.enum(["active", "expiring", "expired", "revoked"]),
  createdat: timestamp,
  /** Exact to the minute. */
  lastusedat: timestamp.nullable(),
  /** Set by a rotation. The old secret works until then. */
  expiresat: timestamp.nullable(),
  revokedat: timestamp.nullable(),
});

export type KeyView = z.infer<typeof keyView>;

/** Only this answer shows the secret. The gateway stores its hash. */
const issuedKey = keyView.extend({ secret: z.string() });

const operatorRoute = { audience: "operator", service: "gateway", rateClass: "none" } as const;

export const keyRoutes = {
  issueKey: route({
    ...operatorRoute,
    verb: "issue-key",
    method: "POST",
    path: "/operator/key/issue/:id",
    summary: "Issue a secret for a business",
    params: { id: "business" },
    reply: { status: 201, message: "Key issued successfully", data: issuedKey },
  }),
  listKeys: route({
    ...operatorRoute,
    verb: "list-keys",
    method: "GET",
    path: "/operator/key/list/:id",
    summary: "A business's keys, newest first",
    params: { id: "business" },
    query: pageQuery,
    reply: { status: 200, data: z.array(keyView), paging: "meta" },
  }),
  rotateKey: route({
    ...operatorRoute,
    verb: "rotate-key",
    method: "POST",
    path: "/operator/key/rotate/:id",
    summary: "Issue a new secret; the old one works on for a while, a day unless said otherwise",
    params: { id: "key" },
    faultCodes: ["conflict"],
    body: z.object({
      overlapseconds: z
        .int()
        .min(0)
        .max(7 * daySeconds)
        .default(daySeconds),
    }),
    reply: { status: 200, message: "Key rotated successfully", data: issuedKey },
  }),
  revokeKey: route({
    ...operatorRoute,
    verb: "revoke-key",
    method: "POST",
    path: "/operator/key/revoke/:id",
    summary: "Revoke a key: its secret is refused within a second",
    params: { id: "key" },
    reply: { status: 200, message: "Key revoked successfully", data: keyView },
  }),
} as const;
