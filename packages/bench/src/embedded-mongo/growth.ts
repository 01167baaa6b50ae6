import { memoryOf, type Memory } from "../process-usage.ts";
import type { Run } from "../path.ts";
import {
  atMost,
  mebibytes,
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
  mergeSamples,
  type Measurement,
  type Sample,
} from "../rounds.ts";
import { median, ratio, type Summary } from "../statistics.ts";
import { loadContender } from "./load-contender.ts";
import { operationsOn, type Operation, type Operations } from "./operations.ts";
import { seed, startStore, type ServerUnderLoad } from "./server-under-load.ts";

const growthMax = 1.3;
const startMsMax = 1_000;
const memoryMax = 250;
const megabyte = 1_000_000;
const starts = 3;

type Measure = {
  readonly name: string;
  readonly operation: (operations: Operations) => Operation;
  readonly inserts?: true;
};

const measures: readonly Measure[] = [
  { name: "point read by unique key", operation: ({ pointRead }) => pointRead },
  { name: "range page of 20", operation: ({ pageRead }) => pageRead },
  { name: "insertOne, two indexes", operation: ({ insertOne }) => insertOne, inserts: true },
];

type Filled = {
  readonly name: string;
  readonly dir: string;
  readonly store: ServerUnderLoad;
  readonly operations: Operations;
};

/** Measures a small and a large store side by side, then the start of the large one. */
export async function measureGrowth(run: Run, small: number, large: number): Promise<Outcome> {
  const stores = [await fill(run, small), await fill(run, large)] as const;
  const steps = measures.map((measure) => ({
    name: measure.name,
    contenders: stores.map(({ name, store, operations }) =>
      loadContender(
        name,
        store,
        run.connections,
        measure.operation(operations),
        measure.inserts ? operations.deleteInserted : undefined,
      ),
    ),
  }));
  const measurements = await runRounds(steps, {
    rounds: run.rounds,
    seconds: run.seconds,
    warmupSeconds: run.seconds,
    onProgress: run.onProgress,
  });
  const memory = {
    small: await memoryOfServer(stores[0].store),
    large: await memoryOfServer(stores[1].store),
  };
  await Promise.all(stores.map(({ store }) => store.stop()));
  run.onProgress("starting the large store again");
  const startMs = median(await timeStarts(run, stores[1].dir));

  const results = measures.map((measure) => growthOf(measure, measurements, stores));
  const [smallName, largeName] = [stores[0].name, stores[1].name];
  return {
    measurements,
    tables: [
      {
        title: `Growth from ${smallName} to ${largeName} documents; medians (spread), inserts' ratios of all rounds mergeSamples, CPU in µs`,
        columns: ["", `CPU, ${smallName}`, `CPU, ${largeName}`, "ratio", "ratio of time"],
        rows: results.map(({ cells }) => cells),
      },
      memoryTable([
        [smallName, memory.small],
        [largeName, memory.large],
      ]),
    ],
    bars: [
      ...results.flatMap(({ bars }) => bars),
      atMost({ name: `start with ${largeName} documents`, limit: startMsMax, unit: "ms" }, startMs),
      atMost(
        { name: `memory (RSS) with ${largeName} documents`, limit: memoryMax, unit: "MB" },
        memory.large.rssBytes / megabyte,
      ),
    ],
  };
}

async function fill(run: Run, documents: number): Promise<Filled> {
  const name = documents.toLocaleString("en");
  const dir = await run.processes.temporaryFolder();
  const store = await startStore(run.processes, dir, run.connections);
  run.onProgress(`filling a store with ${name} documents`);
  await seed(store, documents, run.onProgress);
  return { name, dir, store, operations: operationsOn(store.invoices, documents) };
}

async function timeStarts(run: Run, dir: string): Promise<number[]> {
  const startedInMs: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const store = await startStore(run.processes, dir, run.connections);
    startedInMs.push(store.startedInMs);
    await store.stop();
  }
  return startedInMs;
}

function memoryOfServer({ parts: [server] }: ServerUnderLoad): Promise<Memory> {
  if (server === undefined) throw new Error("the server has no process");
  return memoryOf(server.pid);
}

const timeOf = (sample: Sample): number => 1 / ratePerSecond(sample);

function growthOf(
  { name, inserts }: Measure,
  measurements: readonly Measurement[],
  [small, large]: readonly [Filled, Filled],
): { readonly cells: readonly string[]; readonly bars: readonly Bar[] } {
  const before = samplesOf(measurements, name, small.name);
  const after = samplesOf(measurements, name, large.name);
  const growth = (figure: (sample: Sample) => number): Summary => {
    const byRound = comparisonOf(after, before, figure, ratio);
    if (inserts === undefined) return byRound;
    // SQLite moves its log into the database file once in many rounds; a median would hide that cost.
    return { ...byRound, median: ratio(figure(mergeSamples(after)), figure(mergeSamples(before))) };
  };
  const cpu = growth(cpuPerOperation);
  const time = growth(timeOf);
  return {
    cells: [
      name,
      withSpread(summaryOf(before, cpuPerOperation)),
      withSpread(summaryOf(after, cpuPerOperation)),
      withSpread(cpu, share),
      withSpread(time, share),
    ],
    bars: [
      atMost({ name: `${name}: growth of CPU`, limit: growthMax }, cpu.median),
      atMost({ name: `${name}: growth of time`, limit: growthMax }, time.median),
    ],
  };
}

function memoryTable(stores: readonly (readonly [string, Memory])[]): Table {
  return {
    title: "Memory of the store in MiB, after the measures above",
    columns: ["documents", "RSS", "PSS", "highest RSS"],
    rows: stores.map(([name, { rssBytes, pssBytes, peakRssBytes }]) => [
      name,
      mebibytes(rssBytes),
      mebibytes(pssBytes),
      mebibytes(peakRssBytes),
    ]),
  };
}
