import { signalSubject } from "@malipo/contracts";
import type { Service } from "@malipo/platform";
import type { CachedPrincipals } from "./principals.ts";

export interface Evictions {
  /** Every gateway forgets what it remembers of a business, and will look again. */
  announce(businessid: string): Promise<void>;
}

/**
 * A revocation or suspension takes effect everywhere at once. The word may be lost with a broken
 * connection: then everything is forgotten when it is back, and nothing is believed long anyway.
 */
export function evictOnSignal(
  principals: CachedPrincipals,
  { wire, config, shutdown, log }: Pick<Service, "wire" | "config" | "shutdown" | "log">,
): Evictions {
  const subject = signalSubject(config.NAMESPACE, "credentials");
  const subscription = wire.nats.subscribe(subject, {
    callback: (error, message) => {
      if (error) log.error({ err: error }, "evictions");
      else principals.forget(message.string());
    },
  });
  wire.onReconnect(() => principals.forgetAll());
  shutdown.on("intake", () => subscription.unsubscribe());
  return {
    announce: async (businessid) => {
      principals.forget(businessid);
      wire.nats.publish(subject, businessid);
      await wire.nats.flush();
    },
  };
}
