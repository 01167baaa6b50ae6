import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import { viewCredential } from "../../domain/credential.ts";
import type { Deps } from "../../deps.ts";

/** To revoke twice is no mistake: the first moment stands. */
export const revokeKey =
  ({ credentials, evictions }: Deps): RouteHandler<typeof routes.revokeKey> =>
  async ({ params, cause: { now } }) => {
    const revoked = await credentials.end(params.id, "revokedat", now);
    if (!revoked) return err(notFound("key"));
    await evictions.announce(revoked.businessid);
    return ok({ data: viewCredential(revoked, now) });
  };
