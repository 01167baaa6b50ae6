import { assert } from "./assert.ts";
import { err, ok, type Result } from "./result.ts";

/** A rate inside the system: a whole number of hundredths of a percent. Percent exist only in requests and responses. */
export type BasisPoints = number & { readonly unit: "basis points" };

export type PercentProblem = "not from 0 to 100" | "more than two decimals";

export function basisPoints(rate: number): BasisPoints {
  assert(Number.isInteger(rate) && rate >= 0 && rate <= 10_000, `0 to 100 percent, not ${rate}`);
  return rate as BasisPoints;
}

export function parsePercent(percent: number): Result<BasisPoints, PercentProblem> {
  if (!(percent >= 0 && percent <= 100)) return err("not from 0 to 100");
  const rounded = Math.round(percent * 100);
  if (rounded / 100 !== percent) return err("more than two decimals");
  return ok(basisPoints(rounded === 0 ? 0 : rounded));
}

export function basisPointsToPercent(rate: BasisPoints): number {
  return basisPoints(rate) / 100;
}
