import { BSON } from "mongodb";
import type { BenchPath, Run } from "../path.ts";
import type { Outcome } from "../report.ts";
import { measureAgainstCanned } from "./against-canned.ts";
import { measureGrowth } from "./growth.ts";
import { invoiceDocument } from "./invoice-documents.ts";

export const embeddedMongoPath: BenchPath = {
  name: "embedded-mongo",
  measures:
    "what the embedded store itself costs under the official driver, and whether that grows with " +
    "the data",
  baselines: ["canned: a TCP server that answers the driver with prepared bytes"],
  // Many short rounds: a shared machine changes its speed from second to second.
  effort: { rounds: 21, seconds: 0.5, connections: 32 },
  run: measureEmbeddedMongo,
};

const sizes = { compared: 100_000, small: 10_000, large: 1_000_000 };
const quickSizes = { compared: 5_000, small: 2_000, large: 20_000 };

async function measureEmbeddedMongo(run: Run): Promise<Outcome> {
  const { compared, small, large } = run.quick ? quickSizes : sizes;
  const bytes = BSON.calculateObjectSize(invoiceDocument(0));
  run.onProgress(`documents of ${bytes} bytes, ${run.connections} operations in flight`);
  const outcomes = [
    await measureAgainstCanned(run, compared),
    await measureGrowth(run, small, large),
  ];
  return {
    measurements: outcomes.flatMap((outcome) => outcome.measurements),
    tables: outcomes.flatMap((outcome) => outcome.tables),
    bars: outcomes.flatMap((outcome) => outcome.bars),
  };
}
