/** Of runs that never became ready, one after the other. */
const failedStartsMax = 8;
const shortLifeMs = 5000;
const firstDelayMs = 100;
const longestDelayMs = 5000;

export interface RestartHistory {
  readonly failedStarts: number;
  readonly shortLives: number;
}

export const noRestarts: RestartHistory = { failedStarts: 0, shortLives: 0 };

export interface EndedRun {
  readonly becameReady: boolean;
  readonly livedMs: number;
}

export type Restart =
  | { readonly kind: "again"; readonly delayMs: number; readonly history: RestartHistory }
  | { readonly kind: "give-up" };

/** The first restart is at once, further ones after short lives wait longer and longer; what never gets ready is given up. */
export function decideRestart(history: RestartHistory, run: EndedRun): Restart {
  const failedStarts = run.becameReady ? 0 : history.failedStarts + 1;
  if (failedStarts >= failedStartsMax) return { kind: "give-up" };
  const shortLives = run.livedMs >= shortLifeMs ? 0 : history.shortLives + 1;
  const delayMs =
    shortLives <= 1 ? 0 : Math.min(firstDelayMs * 2 ** (shortLives - 2), longestDelayMs);
  return { kind: "again", delayMs, history: { failedStarts, shortLives } };
}
