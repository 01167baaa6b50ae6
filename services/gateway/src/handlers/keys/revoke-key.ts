import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewCredential } from "../../domain/credential.ts";

/** Revoking a revoked key succeeds and keeps the first time. */
export const revokeKey =
  ({ credentials, principalEviction }: Deps): RouteHandler<typeof routes.revokeKey> =>
  async ({ params, cause: { now } }) => {
    const revoked = await credentials.revoke(params.id, now);
    if (!revoked) return err(notFound("key"));
    await principalEviction.announce(revoked.businessid);
    return ok({ data: viewCredential(revoked, now) });
  };
