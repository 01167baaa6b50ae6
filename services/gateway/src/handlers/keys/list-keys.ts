import type { routes } from "@malipo/contracts";
import { err, notFound, ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { viewCredential } from "../../domain/credential.ts";

export const listKeys =
  ({ businesses, credentials }: Deps): RouteHandler<typeof routes.listKeys> =>
  async ({ params: { id }, query, cause: { now } }) => {
    if (!(await businesses.find(id, id))) {
      return err(notFound("business"));
    }
    const page = await credentials.list(id, query);
    return ok({
      data: page.credentials.map((credential) => viewCredential(credential, now)),
      paging: page.paging,
    });
  };
