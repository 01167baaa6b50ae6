import { summarise, summarisePairs, type Summary } from "./statistics.ts";

/** The result of one contender in one round of one step. */
export type Sample = {
  readonly operations: number;
  readonly elapsedMs: number;
  /** CPU of each server process in microseconds per operation, by the name of its part. */
  readonly cpuMicros: Readonly<Record<string, number>>;
  readonly latencyMs?: { readonly p50: number; readonly p99: number };
};

export type Contender = {
  readonly name: string;
  readonly measure: (seconds: number) => Promise<Sample>;
  /** Removes the data that the measurement left, outside the measured time. */
  readonly restore?: () => Promise<void>;
};

/** One operation to measure, and all contenders that it is measured on. */
export type Step = { readonly name: string; readonly contenders: readonly Contender[] };

export type Measurement = {
  readonly step: string;
  readonly contender: string;
  readonly samples: readonly Sample[];
};

/**
 * Every second round runs backwards, and every pair of rounds starts with another contender. So no
 * contender always follows the same one, and a slow drift of the machine affects all equally.
 */
export function orderOfRound<T>(contenders: readonly T[], round: number): T[] {
  const start = contenders.length === 0 ? 0 : Math.floor(round / 2) % contenders.length;
  const rotated = [...contenders.slice(start), ...contenders.slice(0, start)];
  return round % 2 === 0 ? rotated : rotated.toReversed();
}

export type RoundSettings = {
  readonly rounds: number;
  readonly seconds: number;
  /** Length of a round before the first, which is not counted. */
  readonly warmupSeconds: number;
  readonly onProgress: (text: string) => void;
};

export async function runRounds(
  steps: readonly Step[],
  settings: RoundSettings,
): Promise<Measurement[]> {
  const samples = new Map<Contender, Sample[]>();
  for (let round = -1; round < settings.rounds; round += 1) {
    const isWarmup = round < 0;
    settings.onProgress(isWarmup ? "warming up" : `round ${round + 1} of ${settings.rounds}`);
    for (const step of steps) {
      for (const contender of orderOfRound(step.contenders, Math.max(round, 0))) {
        const sample = await contender.measure(
          isWarmup ? settings.warmupSeconds : settings.seconds,
        );
        await contender.restore?.();
        if (!isWarmup) samples.set(contender, [...(samples.get(contender) ?? []), sample]);
      }
    }
  }
  return steps.flatMap((step) =>
    step.contenders.map((contender) => ({
      step: step.name,
      contender: contender.name,
      samples: samples.get(contender) ?? [],
    })),
  );
}

export function samplesOf(
  measurements: readonly Measurement[],
  step: string,
  contender: string,
): readonly Sample[] {
  const found = measurements.find((m) => m.step === step && m.contender === contender);
  if (found === undefined) throw new Error(`${contender} was not measured in "${step}"`);
  return found.samples;
}

export const ratePerSecond = (sample: Sample): number =>
  (sample.operations * 1000) / sample.elapsedMs;

export const cpuPerOperation = (sample: Sample): number =>
  Object.values(sample.cpuMicros).reduce((sum, micros) => sum + micros, 0);

/** Summarises one figure of a contender's rounds. */
export function summaryOf(samples: readonly Sample[], figure: (sample: Sample) => number): Summary {
  return summarise(samples.map(figure));
}

/** Compares one figure of two contenders round by round. */
export function comparisonOf(
  left: readonly Sample[],
  right: readonly Sample[],
  figure: (sample: Sample) => number,
  combine: (left: number, right: number) => number,
): Summary {
  return summarisePairs(left.map(figure), right.map(figure), combine);
}

/** All rounds as one sample. Work that a server does in few rounds counts in full, unlike in a median. */
export function mergeSamples(samples: readonly Sample[]): Sample {
  const total = (amount: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + amount(sample), 0);
  const operations = total((sample) => sample.operations);
  const cpuMicros = total((sample) => cpuPerOperation(sample) * sample.operations) / operations;
  return {
    operations,
    elapsedMs: total((sample) => sample.elapsedMs),
    cpuMicros: { all: cpuMicros },
  };
}
