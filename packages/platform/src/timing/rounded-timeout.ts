const stepMs = 20;
/** What is shorter is taken at its word. */
const shortMs = 1_000;

/**
 * How long to wait, or a moment more: never less, for until its deadline a request may be carried
 * out, and whoever was told that it was given up would be told wrong. Node keeps timers of one
 * length in a list, and a list for each length: where every request has a length of its own, its
 * timer costs twice what it need.
 */
export function evenPatience(ms: number): number {
  return ms < shortMs ? Math.max(0, ms) : Math.ceil(ms / stepMs) * stepMs;
}
