import { eventually, type ServiceProcess } from "@malipo/testing";
import fc from "fast-check";

export interface Kills {
  readonly count: number;
  /** Says who is killed, and after how many events. */
  readonly seed: number;
}

interface Killing {
  readonly events: number;
  readonly kills?: Kills;
}

/**
 * Kills a worker whenever so many events have been published and the first of them arrive, while the
 * others are under way. The publishing goes on meanwhile, but for the next kill it waits until the
 * last victim is up again: so all kills happen, however fast or slow the machine is.
 */
export function createKiller(
  workers: readonly ServiceProcess[],
  { events, kills: { count, seed } = { count: 0, seed: 0 } }: Killing,
  arrived: () => number,
) {
  const plan = planOfKills(events, count, seed, workers.length);
  let kills = 0;
  let recovery = Promise.resolve();
  return {
    afterPublished: async (published: number): Promise<void> => {
      const next = plan[kills];
      if (!next || published < next.after) return;
      kills += 1;
      await recovery;
      const before = arrived();
      if (before < published) await eventually(() => arrived() > before, 60_000);
      const victim = workers[next.victim];
      await victim?.kill();
      recovery = victim?.start() ?? recovery;
    },
    end: async (): Promise<number> => {
      await recovery;
      return kills;
    },
  };
}

/** One in each equal part of the storm, at a moment of its own. */
function planOfKills(events: number, count: number, seed: number, workersCount: number) {
  const part = Math.floor(events / Math.max(count, 1));
  const drawn = fc.record({
    within: fc.integer({ min: 1, max: part }),
    victim: fc.integer({ min: 0, max: workersCount - 1 }),
  });
  return fc
    .sample(drawn, { numRuns: count, seed })
    .map(({ within, victim }, index) => ({ after: index * part + within, victim }));
}
