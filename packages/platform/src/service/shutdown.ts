import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../logging/index.ts";

/** A NATS or store that hangs must not block the later phases; requests have their own deadlines. */
const phaseMaxMs = 6_000;

type Step = () => Promise<void> | void;

export interface Shutdown {
  readonly signal: AbortSignal;
  /** Phases run in this order: stop the intake, finish the work in flight, close connections. */
  on(phase: "intake" | "work" | "connections", step: Step): void;
  begin(reason: string): Promise<void>;
}

/** Correctness does not need an orderly stop; it saves callers errors and workers repeated work. */
export function createShutdown(log: Log, delayMs: number): Shutdown {
  const stopping = new AbortController();
  const phases = { intake: [] as Step[], work: [] as Step[], connections: [] as Step[] };
  let done: Promise<void> | undefined;

  async function run(reason: string) {
    log.info({ reason }, "stopping");
    stopping.abort();
    await sleep(delayMs);
    for (const steps of [phases.intake, phases.work, phases.connections]) {
      const ended = await Promise.race([
        Promise.allSettled(steps.map(async (step) => step())),
        sleep(phaseMaxMs, undefined, { ref: false }),
      ]);
      if (!ended) log.error("shutdown phase timed out; continuing");
      for (const settled of ended ?? []) {
        if (settled.status === "rejected")
          log.error({ err: settled.reason }, "shutdown step failed");
      }
    }
    log.info("stopped");
  }

  return {
    signal: stopping.signal,
    on: (phase, step) => void phases[phase].push(step),
    begin: (reason) => (done ??= run(reason)),
  };
}
