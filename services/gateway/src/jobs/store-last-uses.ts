import { minuteMs } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { Credentials } from "../store/credentials.ts";

export interface LastUses {
  record(credentialid: string): void;
}

/**
 * Stores when each credential was last used: one bulk write a minute, however many requests there
 * are, and one at shutdown.
 */
export function storeLastUses(
  credentials: Credentials,
  { clock, log, shutdown }: Pick<Service, "clock" | "log" | "shutdown">,
): LastUses {
  let usesById = new Map<string, Date>();

  async function store() {
    const pending = usesById;
    usesById = new Map();
    await credentials.storeLastUses(pending).catch((error: unknown) => {
      log.warn({ err: error }, "last uses of credentials not stored");
    });
  }

  const timer = setInterval(() => void store(), minuteMs);
  shutdown.on("work", async () => {
    clearInterval(timer);
    await store();
  });
  return { record: (credentialid) => void usesById.set(credentialid, clock()) };
}
