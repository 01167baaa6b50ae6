import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

/** Operators see when a business created its first product: the sign that it has started. */
export const onProductCreated =
  ({ onboarding }: Deps): EventHandler<"product.created"> =>
  async (events) => {
    await onboarding.recordFirstProducts(
      events.map(({ businessid, at }) => ({ businessid, at: new Date(at) })),
    );
    return [];
  };
