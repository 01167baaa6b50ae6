import { setTimeout as pause } from "node:timers/promises";
import type { Business, Sale } from "./business.ts";

const sellers = 3;
/** Each seller makes a few sales per second at most, to leave CPU time for the work under test. */
const pauseMs = 100;

/** Sells while the work runs. Sellers never retry: an error, a refusal or a timeout is a problem. */
export async function sellMeanwhile<Result>(
  business: Business,
  work: () => Promise<Result>,
): Promise<{ result: Result; sales: Sale[]; problems: unknown[] }> {
  const sales: Sale[] = [];
  const problems: unknown[] = [];
  const ended = new AbortController();
  const selling = Array.from({ length: sellers }, async () => {
    while (!ended.signal.aborted) {
      await business.sell().then(
        (sale) => sales.push(sale),
        (problem: unknown) => problems.push(problem),
      );
      await pause(pauseMs);
    }
  });
  const result = await work().finally(() => ended.abort());
  await Promise.all(selling);
  return { result, sales, problems };
}
