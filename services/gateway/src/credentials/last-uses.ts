import { minuteMs } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { Credentials } from "../store/credentials.ts";

export interface Usage {
  note(credentialid: string): void;
}

/** When credentials were last used, to the minute: one write a minute however many requests. */
export function trackUsage(
  credentials: Credentials,
  { clock, log, shutdown }: Pick<Service, "clock" | "log" | "shutdown">,
): Usage {
  let uses = new Map<string, Date>();

  async function write() {
    const noted = uses;
    uses = new Map();
    await credentials.noteUses(noted).catch((error: unknown) => {
      log.warn({ err: error }, "last uses not noted");
    });
  }

  const timer = setInterval(() => void write(), minuteMs);
  shutdown.on("work", async () => {
    clearInterval(timer);
    await write();
  });
  return { note: (credentialid) => void uses.set(credentialid, clock()) };
}
