import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";

export const handle =
  ({ service, fanOut }: Deps): EventHandler<"*"> =>
  async (events) => {
    await fanOut(events, service.clock());
    return [];
  };
