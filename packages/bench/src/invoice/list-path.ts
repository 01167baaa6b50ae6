import { type Collection, type Document, MongoClient, ObjectId } from "mongodb";
import { call, idIn, makeBusiness } from "@malipo/testing/without-vitest";
import type { BenchPath, Run } from "../path.ts";
import { contenderFor } from "../product-details/contender.ts";
import { type LocalSystem, startLocalSystem } from "../product-details/local-system.ts";
import { assertWrkIsInstalled } from "../product-details/wrk.ts";
import { atMost, type Outcome, share, withSpread } from "../report.ts";
import {
  comparisonOf,
  type Contender,
  cpuPerOperation,
  ratePerSecond,
  runRounds,
  type Sample,
  samplesOf,
  summaryOf,
} from "../rounds.ts";
import { ratio } from "../statistics.ts";

const sizes = { small: 1_000, large: 1_000_000 };
const quickSizes = { small: 1_000, large: 20_000 };
const growthMax = 1.5;
const warmupSeconds = 2;
const batch = 1_000;
const batchesInFlight = 2;
/** One invoice in 50 contains the word that is searched for. */
const rareWordEvery = 50;

export const invoiceListPath: BenchPath = {
  name: "invoice-list",
  measures:
    "whether a page of invoices, a search and one invoice cost more among a million of one business",
  baselines: ["the same among a thousand invoices of another business, in the same store"],
  effort: { rounds: 7, seconds: 2, connections: 32 },
  run: measureList,
};

interface Filled {
  readonly name: string;
  readonly secret: string;
  readonly invoiceid: string;
}

async function measureList(run: Run): Promise<Outcome> {
  const { processes, rounds, seconds, onProgress } = run;
  const { small, large } = run.quick ? quickSizes : sizes;
  await assertWrkIsInstalled(processes);
  onProgress("starting the whole system");
  const system = await startLocalSystem(processes);
  const filled = [await fill(run, system, small), await fill(run, system, large)] as const;
  const requests = [
    ["a page of the list", () => "list?limit=20"],
    ["a search for one word", () => "list?limit=20&search=rare"],
    ["a search by the beginning of a number", () => "list?limit=20&search=INV-0"],
    ["one invoice", ({ invoiceid }: Filled) => `details/${invoiceid}`],
  ] as const;
  const steps = requests.map(([name, pathOf]) => ({
    name,
    contenders: filled.map((each) => reader(run, system, each, pathOf(each))),
  }));
  const measurements = await runRounds(steps, { rounds, seconds, warmupSeconds, onProgress });
  const compared = (step: string, figure: (sample: Sample) => number) =>
    comparisonOf(
      samplesOf(measurements, step, filled[1].name),
      samplesOf(measurements, step, filled[0].name),
      figure,
      ratio,
    );
  return {
    measurements,
    tables: [
      {
        title: "Through the gateway; medians (spread), CPU in µs per request",
        columns: ["", "invoices", "requests/s", "CPU"],
        rows: measurements.map(({ step, contender, samples }) => [
          step,
          contender,
          withSpread(summaryOf(samples, ratePerSecond)),
          withSpread(summaryOf(samples, cpuPerOperation)),
        ]),
      },
      {
        title: `${filled[1].name} invoices ÷ ${filled[0].name}`,
        columns: ["", "CPU", "time"],
        rows: requests.map(([name]) => [
          name,
          withSpread(compared(name, cpuPerOperation), share),
          withSpread(compared(name, timeOf), share),
        ]),
      },
    ],
    bars: requests.flatMap(([name]) => [
      atMost(
        { name: `${name}: growth of CPU`, limit: growthMax },
        compared(name, cpuPerOperation).median,
      ),
      atMost({ name: `${name}: growth of time`, limit: growthMax }, compared(name, timeOf).median),
    ]),
  };
}

const timeOf = (sample: Sample): number => 1 / ratePerSecond(sample);

function reader(run: Run, system: LocalSystem, { name, secret }: Filled, path: string): Contender {
  const url = `${system.environment.apiurl}/business/invoice/${path}`;
  return contenderFor(run, name, { url, headers: { authorization: secret }, parts: system.parts });
}

/** Creates the first invoice by the API, and inserts the others as copies of its document. */
async function fill(run: Run, system: LocalSystem, count: number): Promise<Filled> {
  const name = count.toLocaleString("en");
  const { apiurl, operatorurl, operatortoken, mongodburi } = system.environment;
  const { secret } = await makeBusiness({
    operatorUrl: operatorurl,
    operatorToken: operatortoken,
  });
  const post = async (path: string, body: object): Promise<string> =>
    idIn(await call(`${apiurl}/business/${path}/create`, "POST", secret, body));
  const customerid = await post("customer", { name: "Asha Wanjiru" });
  const itemid = await post("product", { title: "Internet", price: 2_500 });
  const items = [{ itemid, quantity: 1, rate: 2_500 }];
  const invoiceid = await post("invoice", { customerid, items, duedate: "2030-01-31" });
  const client = await MongoClient.connect(mongodburi);
  try {
    const invoices = client.db("malipo_invoice").collection("invoices");
    run.onProgress(`filling a business with ${name} invoices`);
    await copy(run, invoices, invoiceid, count);
  } finally {
    await client.close();
  }
  return { name, secret, invoiceid };
}

async function copy(
  { onProgress }: Run,
  invoices: Collection,
  invoiceid: string,
  count: number,
): Promise<void> {
  const first = await invoices.findOne({ _id: new ObjectId(invoiceid) });
  if (!first) throw new Error("the first invoice does not exist");
  let next = 1;
  let reported = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next = Math.min(count, from + batch);
      const documents = Array.from({ length: next - from }, (_, index) =>
        copyOf(first, from + index),
      );
      await invoices.insertMany(documents, { ordered: false });
      if (performance.now() - reported < 10_000) continue;
      reported = performance.now();
      onProgress(`  ${next.toLocaleString("en")} of ${count.toLocaleString("en")}`);
    }
  };
  await Promise.all(Array.from({ length: batchesInFlight }, worker));
}

/** A copy that is older by a second each, is published, and has its own number and search words. */
function copyOf(first: Document, number: number): Document {
  const { unpublished: _unpublished, ...fields } = first;
  const id = new ObjectId();
  const digits = String(number).padStart(6, "0");
  const createdat = new Date((first["createdat"] as Date).getTime() - number * 1_000);
  const isRare = number % rareWordEvery === 0;
  return {
    ...fields,
    _id: id,
    invoiceno: `INV-${digits}`,
    title: isRare ? "Internet rare" : "Internet",
    words: [`inv-${digits}`, String(number), "internet", ...(isRare ? ["rare"] : [])],
    paylink: { id: String(id), code: `i${String(id).slice(-9)}` },
    published: first["seq"],
    createdat,
    updatedat: createdat,
  };
}
