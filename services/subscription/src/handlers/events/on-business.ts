import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

export const onBusiness =
  ({ businesses, subscriptions, service }: Deps): EventHandler<"business.*"> =>
  async (events) => {
    await businesses.apply(events);
    const resumed = events.filter(({ type }) => type === "business.resumed");
    for (const { businessid } of resumed) {
      await subscriptions.releaseHeldBack(businessid, service.clock());
    }
    return [];
  };
