import type { Deps } from "../src/deps.ts";

/** How many writes a worker has left. */
export interface Life {
  writes: number;
}

class Killed extends Error {
  override readonly name = "Killed";
}

/** The same, for a worker that may end before any of its writes. */
export function mortal(deps: Deps, life: Life): Deps {
  async function write<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
    life.writes -= 1;
    if (life.writes < 0) throw new Killed();
    return work();
  }
  const { invoices, credits } = deps;
  return {
    ...deps,
    invoices: { ...invoices, amend: async (...args) => write(() => invoices.amend(...args)) },
    credits: {
      ...credits,
      amend: async (...args) => write(() => credits.amend(...args)),
      grant: async (...args) => write(() => credits.grant(...args)),
    },
  };
}

/** As a message comes again until somebody has lived to see to it. */
export async function untilDone<Outcome>(
  life: Life,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    life.writes = Infinity;
    return untilDone(life, work);
  }
}
