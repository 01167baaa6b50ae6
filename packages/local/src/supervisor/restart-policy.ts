/** How many starts in a row may end before the program is ready. */
const failedStartsMax = 8;
const shortLifeMs = 5000;
const firstDelayMs = 100;
const maxDelayMs = 5000;

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

/**
 * The first restart happens at once. After further short lives the delay doubles up to its limit.
 * A program that never becomes ready is given up.
 */
export function decideRestart(history: RestartHistory, run: EndedRun): Restart {
  const failedStarts = run.becameReady ? 0 : history.failedStarts + 1;
  if (failedStarts >= failedStartsMax) return { kind: "give-up" };
  const shortLives = run.livedMs >= shortLifeMs ? 0 : history.shortLives + 1;
  const delayMs = shortLives <= 1 ? 0 : Math.min(firstDelayMs * 2 ** (shortLives - 2), maxDelayMs);
  return { kind: "again", delayMs, history: { failedStarts, shortLives } };
}
