import { MongoError } from "../errors.ts";
import type { InjectedFault, FaultInjector } from "./injected-fault.ts";
import { seededRandom } from "./seeded-random.ts";

/** The rate of each fault, from 0 to 1. A replica set has all of them now and then. */
export type FaultRates = {
  /** The connection is cut and the command does not run. */
  readonly cutBefore: number;
  /** The connection is cut after the command ran. */
  readonly cutAfter: number;
  /** The reply is NotWritablePrimary and the command does not run. */
  readonly notPrimary: number;
  /** A statement in a transaction fails with a write conflict. */
  readonly writeConflict: number;
  /** An upsert overlooks a document that another upsert has just inserted, and inserts as well. */
  readonly upsertRace: number;
  /** The reply is late by up to `slowMs`. */
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

/** Parses `seed=7,cutAfter=0.05`. Faults that are not named keep their default rate. */
export function readFaults(text: string): FaultOptions {
  const options: { [name: string]: number } = {};
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [name = "", value = ""] = part.split("=").map((one) => one.trim());
    const number = Number(value);
    if (name !== "seed" && !names.includes(name as keyof FaultRates)) {
      throw new Error(`unknown fault '${name}'; there are: seed, ${names.join(", ")}`);
    }
    if (value === "" || !Number.isFinite(number) || number < 0) {
      throw new Error(`fault '${name}' must be a number, not '${value}'`);
    }
    options[name] = number;
  }
  return options;
}

/** Commands that get faults. The driver's own handshake and monitoring never do. */
const affectedCommands = new Set([
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

export class RandomFaults {
  private readonly rates: FaultRates;
  private readonly random: () => number;

  constructor(options: FaultOptions) {
    const { seed, ...rates } = options;
    this.rates = { ...defaultFaults, ...rates };
    this.random = seededRandom(seed ?? 1);
  }

  readonly inject: FaultInjector = ({ command, inTransaction }): InjectedFault | undefined => {
    if (!affectedCommands.has(command.name)) return undefined;
    const { rates } = this;
    const delay = this.happens(rates.slow) ? { delayMs: this.random() * rates.slowMs } : {};
    if (this.happens(rates.cutBefore)) return { ...delay, closeConnection: "before" };
    if (this.happens(rates.cutAfter)) return { ...delay, closeConnection: "after" };
    if (this.happens(rates.notPrimary)) {
      return { ...delay, error: new MongoError("NotWritablePrimary", "not primary") };
    }
    if (inTransaction && command.endsTransaction !== true && this.happens(rates.writeConflict)) {
      return { ...delay, error: new MongoError("WriteConflict", "WriteConflict error") };
    }
    return delay;
  };

  /** Decides whether an upsert that found its document acts as if it had not. */
  readonly missesRecentUpsert = (): boolean => this.happens(this.rates.upsertRace);

  private happens(rate: number): boolean {
    return rate > 0 && this.random() < rate;
  }
}
