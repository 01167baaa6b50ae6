import { assert, nat, property, string, uniqueArray } from "fast-check";
import { describe, expect, test } from "vitest";
import {
  comparisonOf,
  cpuPerOperation,
  orderOfRound,
  ratePerSecond,
  runRounds,
  samplesOf,
  summaryOf,
  mergeSamples,
  type Contender,
  type Sample,
} from "./rounds.ts";
import { ratio } from "./statistics.ts";

const sample = (operations: number): Sample => ({
  operations,
  elapsedMs: 500,
  cpuMicros: { gateway: 40, service: 20 },
});

function recorded(name: string, log: string[]): Contender {
  return {
    name,
    measure: (seconds) => {
      log.push(`${name} ${seconds}`);
      return Promise.resolve(sample(log.length));
    },
    restore: () => {
      log.push(`${name} restored`);
      return Promise.resolve();
    },
  };
}

describe("orderOfRound", () => {
  test("reverses every second round, and rotates after every pair", () => {
    expect(orderOfRound(["a", "b", "c"], 0)).toEqual(["a", "b", "c"]);
    expect(orderOfRound(["a", "b", "c"], 1)).toEqual(["c", "b", "a"]);
    expect(orderOfRound(["a", "b", "c"], 2)).toEqual(["b", "c", "a"]);
  });

  test("contains every contender exactly once, for any contenders and any round", () => {
    assert(
      property(uniqueArray(string()), nat(100), (contenders, round) => {
        expect(orderOfRound(contenders, round).toSorted()).toEqual(contenders.toSorted());
      }),
    );
  });

  test("alternates the first place between two contenders", () => {
    const firsts = [0, 1, 2, 3].map((round) => orderOfRound(["a", "b"], round)[0]);
    expect(new Set(firsts)).toEqual(new Set(["a", "b"]));
  });
});

describe("runRounds", () => {
  test("runs an uncounted warm-up, then interleaves the contenders, and restores after each measurement", async () => {
    const log: string[] = [];
    const progress: string[] = [];
    const measurements = await runRounds(
      [{ name: "step", contenders: [recorded("a", log), recorded("b", log)] }],
      { rounds: 2, seconds: 4, warmupSeconds: 1, onProgress: (text) => progress.push(text) },
    );
    expect(log.filter((line) => !line.endsWith("restored"))).toEqual([
      "a 1",
      "b 1",
      "a 4",
      "b 4",
      "b 4",
      "a 4",
    ]);
    expect(log.slice(0, 4)).toEqual(["a 1", "a restored", "b 1", "b restored"]);
    expect(progress).toEqual(["warming up", "round 1 of 2", "round 2 of 2"]);
    expect(samplesOf(measurements, "step", "a")).toHaveLength(2);
    expect(() => samplesOf(measurements, "step", "c")).toThrow(/c was not measured/);
  });
});

describe("the figures of samples", () => {
  test("are the operations per second, and the CPU time of all parts per operation", () => {
    expect(ratePerSecond(sample(1_000))).toBe(2_000);
    expect(cpuPerOperation(sample(1))).toBe(60);
  });

  test("are summarised over the rounds and compared round by round", () => {
    const samples = [sample(100), sample(300), sample(200)];
    expect(summaryOf(samples, ratePerSecond)).toEqual({ median: 400, spread: 1 });
    expect(comparisonOf(samples, samples, ratePerSecond, ratio)).toEqual({ median: 1, spread: 0 });
  });

  test("of merged samples weigh each round by its operations", () => {
    const idle = { operations: 100, elapsedMs: 1_000, cpuMicros: { gateway: 30, service: 10 } };
    const busy = { operations: 300, elapsedMs: 3_000, cpuMicros: { gateway: 50, service: 30 } };
    const all = mergeSamples([idle, busy]);
    expect(ratePerSecond(all)).toBe(100);
    expect(cpuPerOperation(all)).toBe(70);
  });
});
