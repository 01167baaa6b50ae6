import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settableClock, type SettableClock } from "./settable-clock.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface FrozenClock extends SettableClock {
  /** A process with these variables reads its time from this clock only. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Creates one clock for several processes. It stands still in all of them until the test sets or
 * advances it. Timers are not affected.
 */
export function freezeClock(start: Date): FrozenClock {
  const clock = settableClock(start);
  const file = join(temporaryFolder(), "clock");
  const writeTime = (): void => {
    writeFileSync(`${file}.new`, String(clock.now().getTime()));
    // Renaming is atomic: a process reads the old time or the new time, never a partial file.
    renameSync(`${file}.new`, file);
  };
  writeTime();
  return {
    now: clock.now,
    set: (moment) => {
      clock.set(moment);
      writeTime();
    },
    advance: (ms) => {
      clock.advance(ms);
      writeTime();
    },
    env: {
      FROZEN_CLOCK: file,
      NODE_OPTIONS: `--import ${new URL("./frozen-date.ts", import.meta.url).href}`,
    },
  };
}
