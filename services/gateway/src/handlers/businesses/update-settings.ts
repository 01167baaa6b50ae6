import type { routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import type { RouteHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";
import { setSettings } from "../../domain/business.ts";
import { changeBusiness } from "../../workflows/change-business.ts";

export const updateSettings =
  (deps: Deps): RouteHandler<typeof routes.updateSettings> =>
  async ({ businessid, body, cause }) => {
    const changed = await changeBusiness(deps, businessid, cause, (business) =>
      setSettings(business, body, cause.now),
    );
    return changed.ok ? ok({ data: changed.value.data.settings }) : changed;
  };
