import { eventually, type ServiceProcess } from "@malipo/testing";
import fc from "fast-check";

export interface Kills {
  readonly count: number;
  /** Decides which workers are killed, and after how many events. */
  readonly seed: number;
}

interface Killing {
  readonly events: number;
  readonly kills?: Kills;
}

/**
 * Kills a worker each time a planned number of events has been published and the next one arrives,
 * while others are under way. Publishing continues, but the next kill waits until the last victim has
 * started again. So all kills happen on any machine, fast or slow.
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

/** One kill in each equal part of the storm, at a random place in it. */
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
