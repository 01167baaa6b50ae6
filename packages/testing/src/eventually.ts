import { setTimeout as pause } from "node:timers/promises";

const pollMs = 20;

/**
 * Waits until the condition neither throws nor returns false. When the time is up, throws its last
 * error.
 */
export async function eventually<Value>(
  condition: () => Value | Promise<Value>,
  withinMs = 5000,
): Promise<Exclude<Value, false>> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      const value = await condition();
      if (value !== false) return value as Exclude<Value, false>;
      if (performance.now() >= giveUpAt)
        throw new Error(`Not true within ${withinMs} ms: ${String(condition)}`);
    } catch (error) {
      if (performance.now() >= giveUpAt) throw error;
    }
    await pause(pollMs);
  }
}
