import { setTimeout as pause } from "node:timers/promises";
import type { Business, Sale } from "./business.ts";

const clients = 3;
/** A few sales a second each, or nothing is left of the machine for what goes on meanwhile. */
const restMs = 100;

/** Nobody tries anything twice: a refusal, an error or silence is a problem. */
export async function sellMeanwhile<Result>(
  business: Business,
  whatGoesOn: () => Promise<Result>,
): Promise<{ result: Result; sales: Sale[]; problems: unknown[] }> {
  const sales: Sale[] = [];
  const problems: unknown[] = [];
  const over = new AbortController();
  const selling = Array.from({ length: clients }, async () => {
    while (!over.signal.aborted) {
      await business.sell().then(
        (sale) => sales.push(sale),
        (problem: unknown) => problems.push(problem),
      );
      await pause(restMs);
    }
  });
  const result = await whatGoesOn().finally(() => over.abort());
  await Promise.all(selling);
  return { result, sales, problems };
}
