import { MongoError } from "../errors.ts";
import type { Interference, Interferer } from "./interference.ts";
import { seededRandom } from "./random.ts";

/** How often each thing happens that a replica set does now and then, from 0 to 1. */
export type FaultRates = {
  /** The connection is cut and nothing was done. */
  readonly cutBefore: number;
  /** The connection is cut although the command was done. */
  readonly cutAfter: number;
  /** The answer is NotWritablePrimary and nothing was done. */
  readonly notPrimary: number;
  /** A statement in a transaction meets a write conflict. */
  readonly writeConflict: number;
  /** An upsert does not see what another upsert inserted a moment ago, and inserts as well. */
  readonly upsertRace: number;
  /** The answer comes late. */
  readonly slow: number;
  readonly slowMs: number;
};

export type FaultOptions = Partial<FaultRates> & { readonly seed?: number };

const defaultFaults: FaultRates = {
  cutBefore: 0.01,
  cutAfter: 0.01,
  notPrimary: 0.01,
  writeConflict: 0.05,
  upsertRace: 0.5,
  slow: 0.05,
  slowMs: 100,
};

const names = Object.keys(defaultFaults) as (keyof FaultRates)[];

/** Reads `seed=7,cutAfter=0.05`; what is not named happens at its default rate. */
export function readFaults(text: string): FaultOptions {
  const options: { [name: string]: number } = {};
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [name = "", value = ""] = part.split("=").map((one) => one.trim());
    const number = Number(value);
    if (name !== "seed" && !names.includes(name as keyof FaultRates)) {
      throw new Error(`unknown fault '${name}'; there are: seed, ${names.join(", ")}`);
    }
    if (value === "" || !Number.isFinite(number) || number < 0) {
      throw new Error(`fault '${name}' wants a number, not '${value}'`);
    }
    options[name] = number;
  }
  return options;
}

/** Commands that may be disturbed; never the driver's own talk with the server. */
const disturbed = new Set([
  "find",
  "aggregate",
  "count",
  "distinct",
  "getMore",
  "insert",
  "update",
  "delete",
  "findAndModify",
  "commitTransaction",
]);

export class Faults {
  private readonly rates: FaultRates;
  private readonly random: () => number;

  constructor(options: FaultOptions) {
    const { seed, ...rates } = options;
    this.rates = { ...defaultFaults, ...rates };
    this.random = seededRandom(seed ?? 1);
  }

  readonly interfere: Interferer = ({ command, inTransaction }): Interference | undefined => {
    if (!disturbed.has(command.name)) return undefined;
    const { rates } = this;
    const delay = this.happens(rates.slow) ? { delayMs: this.random() * rates.slowMs } : {};
    if (this.happens(rates.cutBefore)) return { ...delay, cut: "before" };
    if (this.happens(rates.cutAfter)) return { ...delay, cut: "after" };
    if (this.happens(rates.notPrimary)) {
      return { ...delay, error: new MongoError("NotWritablePrimary", "not primary") };
    }
    if (inTransaction && command.endsTransaction !== true && this.happens(rates.writeConflict)) {
      return { ...delay, error: new MongoError("WriteConflict", "WriteConflict error") };
    }
    return delay;
  };

  /** Whether an upsert that has found its document is to act as if it had not. */
  readonly upsertMisses = (): boolean => this.happens(this.rates.upsertRace);

  private happens(rate: number): boolean {
    return rate > 0 && this.random() < rate;
  }
}
