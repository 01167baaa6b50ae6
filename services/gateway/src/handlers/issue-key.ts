import { randomBytes } from "node:crypto";
import type { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { hashSecret, mintSecret } from "../secret.ts";

export const handle =
  ({ businesses, credentials, mode }: Deps): RouteHandler<typeof routes.issueKey> =>
  async ({ params, cause: { now } }) => {
    const business = await businesses.find(params.id);
    if (!business) return err(fault("not_found", { text: "Business not found" }));
    const secret = mintSecret(mode, randomBytes(32));
    const credential = { id: newId(), businessid: business.id, createdat: now };
    await credentials.insert(credential, hashSecret(secret));
    const { id, businessid } = credential;
    return ok({ data: { _id: id, businessid, secret, createdat: now.toISOString() } });
  };
