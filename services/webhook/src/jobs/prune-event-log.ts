import { minuteMs } from "@malipo/core";
import type { Service } from "@malipo/platform";
import type { EventLog } from "../store/event-log.ts";

const pruneEveryMs = 10 * minuteMs;

/** Deletes log entries that are older than the retention. Every process may do it. */
export function startPruning(
  { clock, shutdown, log }: Pick<Service, "clock" | "shutdown" | "log">,
  eventLog: EventLog,
): void {
  async function pruneAll(): Promise<void> {
    while ((await eventLog.prune(clock())) > 0) {
      if (shutdown.signal.aborted) return;
    }
  }

  const timer = setInterval(() => {
    pruneAll().catch((error: unknown) => {
      log.warn({ err: error }, "pruning the event log failed; will retry");
    });
  }, pruneEveryMs);
  shutdown.on("intake", () => clearInterval(timer));
}
