import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const onBusiness =
  ({ businesses }: Deps): EventHandler<"business.*"> =>
  async (events) => {
    await businesses.apply(events);
    return [];
  };
