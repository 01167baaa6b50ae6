import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";

export const handle =
  ({ businesses }: Deps): EventHandler<"business.*"> =>
  async (events) => {
    await businesses.apply(events);
    return [];
  };
