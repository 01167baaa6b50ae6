import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const onEvent =
  ({ service, fanOut }: Deps): EventHandler<"*"> =>
  async (events) => {
    await fanOut(events, service.clock());
    return [];
  };
