import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewCredential } from "../../domain/credential.ts";
import { issueCredential } from "../../workflows/issue-credential.ts";

export const issueKey =
  (deps: Deps): RouteHandler<typeof routes.issueKey> =>
  async ({ params: { id }, cause: { now } }) => {
    const business = await deps.businesses.find(id, id);
    if (!business) return err(notFound("business"));
    const { credential, secret } = await issueCredential(deps, business.entity.id, now);
    return ok({ data: { ...viewCredential(credential, now), secret } });
  };
