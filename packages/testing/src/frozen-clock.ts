import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settableClock, type SettableClock } from "./settable-clock.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface FrozenClock extends SettableClock {
  /** With these variables a service's process has this clock and no other. */
  readonly env: Readonly<Record<string, string>>;
}

/** One clock for whole processes: it stands still in all of them until the test moves it. Timers do not obey it. */
export function freezeClock(start: Date): FrozenClock {
  const clock = settableClock(start);
  const file = join(temporaryFolder(), "clock");
  const show = (): void => {
    writeFileSync(`${file}.new`, String(clock.now().getTime()));
    // Whoever reads meanwhile sees the old moment or the new one.
    renameSync(`${file}.new`, file);
  };
  show();
  return {
    now: clock.now,
    set: (moment) => {
      clock.set(moment);
      show();
    },
    advance: (ms) => {
      clock.advance(ms);
      show();
    },
    env: {
      FROZEN_CLOCK: file,
      NODE_OPTIONS: `--import ${new URL("./frozen-date.ts", import.meta.url).href}`,
    },
  };
}
