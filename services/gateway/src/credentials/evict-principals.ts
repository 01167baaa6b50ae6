import { signalSubject } from "@malipo/contracts";
import type { Service } from "@malipo/platform";
import type { CachedPrincipals } from "./principals.ts";

export interface PrincipalEviction {
  /** All gateways drop their cached principals of the business, and read the store again. */
  announce(businessid: string): Promise<void>;
}

/**
 * Revocations and suspensions take effect at all gateways at once, through a plain NATS message.
 * A message can be lost while a connection is broken, so a gateway empties its cache when it is
 * connected again. In any case an entry lives for 30 seconds.
 */
export function evictOnSignal(
  principals: CachedPrincipals,
  { wire, config, shutdown, log }: Pick<Service, "wire" | "config" | "shutdown" | "log">,
): PrincipalEviction {
  const subject = signalSubject(config.NAMESPACE, "credentials");
  const subscription = wire.nats.subscribe(subject, {
    callback: (error, message) => {
      if (error) log.error({ err: error }, "credentials signal failed");
      else principals.evictBusiness(message.string());
    },
  });
  wire.onReconnect(() => principals.evictAll());
  shutdown.on("intake", () => subscription.unsubscribe());
  return {
    announce: async (businessid) => {
      principals.evictBusiness(businessid);
      wire.nats.publish(subject, businessid);
      await wire.nats.flush();
    },
  };
}
