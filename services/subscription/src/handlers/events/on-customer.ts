import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const onCustomer =
  ({ customers }: Deps): EventHandler<"customer.*"> =>
  async (events) => {
    await customers.apply(events);
    return [];
  };
