import type { Run } from "../path.ts";
import {
  atLeast,
  atMost,
  share,
  withSpread,
  type Bar,
  type Outcome,
  type Table,
} from "../report.ts";
import {
  comparisonOf,
  cpuPerOperation,
  ratePerSecond,
  runRounds,
  samplesOf,
  summaryOf,
  type Contender,
  type Measurement,
  type Step,
} from "../rounds.ts";
import { difference, ratio } from "../statistics.ts";
import { loadContender } from "./load-contender.ts";
import { insertManySize, operationsOn, type Operation, type Operations } from "./operations.ts";
import { seed, startCannedServer, startStore } from "./server-under-load.ts";

type Measure = {
  readonly name: string;
  readonly operation: (operations: Operations) => Operation;
  readonly inserts?: true;
  /** Documents that one operation writes, when the bar is per document. */
  readonly documents?: number;
  readonly cpuMicrosMax: number;
  readonly rateShareMin?: number;
};

const measures: readonly Measure[] = [
  {
    name: "point read by unique key",
    operation: ({ pointRead }) => pointRead,
    cpuMicrosMax: 50,
    rateShareMin: 0.75,
  },
  {
    name: "insertOne, two indexes",
    operation: ({ insertOne }) => insertOne,
    inserts: true,
    cpuMicrosMax: 100,
    rateShareMin: 0.5,
  },
  {
    name: "findOneAndUpdate",
    operation: ({ findOneAndUpdate }) => findOneAndUpdate,
    cpuMicrosMax: 120,
    rateShareMin: 0.45,
  },
  {
    name: `insertMany of ${insertManySize}, a document`,
    operation: ({ insertMany }) => insertMany,
    inserts: true,
    documents: insertManySize,
    cpuMicrosMax: 40,
  },
];

/** Measures the store against the canned server, operation by operation. */
export async function measureAgainstCanned(run: Run, documents: number): Promise<Outcome> {
  const { processes, connections, onProgress } = run;
  const canned = await startCannedServer(processes, connections);
  const store = await startStore(processes, await processes.temporaryFolder(), connections);
  onProgress(`filling the store with ${documents.toLocaleString("en")} documents`);
  await seed(store, documents, onProgress);

  const operations = {
    store: operationsOn(store.invoices, documents),
    canned: operationsOn(canned.invoices, documents),
  };
  const steps = measures.map((measure): Step => {
    const contenders: Contender[] = [
      loadContender("canned", canned, connections, measure.operation(operations.canned)),
      loadContender(
        "store",
        store,
        connections,
        measure.operation(operations.store),
        measure.inserts ? operations.store.deleteInserted : undefined,
      ),
    ];
    return { name: measure.name, contenders };
  });
  const measurements = await runRounds(steps, {
    rounds: run.rounds,
    seconds: run.seconds,
    warmupSeconds: run.seconds,
    onProgress,
  });
  await Promise.all([store.stop(), canned.stop()]);
  const results = measures.map((measure) => resultOf(measure, measurements));
  return {
    measurements,
    tables: [tableOf(results, documents)],
    bars: results.flatMap((result) => result.bars),
  };
}

function resultOf(measure: Measure, measurements: readonly Measurement[]) {
  const store = samplesOf(measurements, measure.name, "store");
  const canned = samplesOf(measurements, measure.name, "canned");
  const each = measure.documents ?? 1;
  const cpuOfEach = (sample: (typeof store)[number]): number => cpuPerOperation(sample) / each;
  const rateOfEach = (sample: (typeof store)[number]): number => ratePerSecond(sample) * each;
  const ownCpu = comparisonOf(store, canned, cpuOfEach, difference);
  const rateShare = comparisonOf(store, canned, rateOfEach, ratio);
  const bars: Bar[] = [
    atMost(
      { name: `${measure.name}: own CPU`, limit: measure.cpuMicrosMax, unit: "µs" },
      ownCpu.median,
    ),
  ];
  if (measure.rateShareMin !== undefined) {
    const name = `${measure.name}: rate ÷ canned`;
    bars.push(atLeast({ name, limit: measure.rateShareMin }, rateShare.median));
  }
  const cells = [
    measure.name,
    withSpread(summaryOf(store, rateOfEach)),
    withSpread(summaryOf(canned, rateOfEach)),
    withSpread(rateShare, share),
    withSpread(summaryOf(store, cpuOfEach)),
    withSpread(summaryOf(canned, cpuOfEach)),
    withSpread(ownCpu),
  ];
  return { bars, cells };
}

function tableOf(results: readonly { cells: readonly string[] }[], documents: number): Table {
  return {
    title:
      `The store and the canned server at ${documents.toLocaleString("en")} documents; ` +
      "medians (spread), CPU in µs",
    columns: ["", "store /s", "canned /s", "ratio", "store CPU", "canned CPU", "own CPU"],
    rows: results.map(({ cells }) => cells),
  };
}
