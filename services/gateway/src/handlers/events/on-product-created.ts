import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../../deps.ts";

/** Operators see when a business made its first product: how they know that it got going. */
export const onProductCreated =
  ({ onboarding }: Deps): EventHandler<"product.created"> =>
  async (events) => {
    await onboarding.noteFirstProducts(
      events.map(({ businessid, at }) => ({ businessid, at: new Date(at) })),
    );
    return [];
  };
