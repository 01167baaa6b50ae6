import type { Deps } from "../src/deps.ts";

/** The number of writes that a worker still makes before it is killed. */
export interface Life {
  writes: number;
}

class Killed extends Error {
  override readonly name = "Killed";
}

/** The dependencies of a worker that is killed before one of its writes. */
export function makeKillable(deps: Deps, life: Life): Deps {
  async function write<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    life.writes -= 1;
    if (life.writes < 0) throw new Killed();
    return work();
  }
  const { invoices, credits } = deps;
  return {
    ...deps,
    invoices: { ...invoices, update: async (...args) => write(() => invoices.update(...args)) },
    credits: {
      ...credits,
      spend: async (...args) => write(() => credits.spend(...args)),
      grant: async (...args) => write(() => credits.grant(...args)),
    },
  };
}

/** Repeats the work after a kill, as a message is delivered again. */
export async function repeatUntilDone<Outcome>(
  life: Life,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    life.writes = Infinity;
    return repeatUntilDone(life, work);
  }
}
