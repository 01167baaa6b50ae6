import { fileURLToPath } from "node:url";
import { MongoClient, type Collection } from "mongodb";
import type { Part } from "../cpu.ts";
import type { Processes } from "../processes.ts";
import { readReadyLine } from "../read-ready-line.ts";
import { invoiceDocument, type InvoiceDocument } from "./invoice-documents.ts";

const readyTimeoutMs = 30_000;
const seedBatch = 1_000;
const seedBatchesInFlight = 2;

const databaseName = "bench";
const collectionName = "invoices";

/** A server with the driver connected to it. */
export type ServerUnderLoad = {
  readonly invoices: Collection<InvoiceDocument>;
  readonly parts: readonly Part[];
  readonly startedInMs: number;
  readonly stop: () => Promise<void>;
};

export function startCannedServer(
  processes: Processes,
  inFlight: number,
): Promise<ServerUnderLoad> {
  const namespace = `${databaseName}.${collectionName}`;
  return startServer(processes, "canned", "./canned-server.ts", [namespace], inFlight);
}

export function startStore(
  processes: Processes,
  dir: string,
  inFlight: number,
): Promise<ServerUnderLoad> {
  return startServer(processes, "store", "./store-server.ts", [dir], inFlight);
}

async function startServer(
  processes: Processes,
  name: string,
  file: string,
  args: readonly string[],
  inFlight: number,
): Promise<ServerUnderLoad> {
  const startedAt = performance.now();
  const server = processes.start(name, {
    command: process.execPath,
    args: ["--conditions=@malipo/source", fileURLToPath(new URL(file, import.meta.url)), ...args],
  });
  const { port } = await readReadyLine(server, readyTimeoutMs);
  const client = new MongoClient(`mongodb://127.0.0.1:${port}`, { maxPoolSize: inFlight });
  await client.db(databaseName).command({ ping: 1 });
  const startedInMs = performance.now() - startedAt;
  return {
    invoices: client.db(databaseName).collection<InvoiceDocument>(collectionName),
    parts: [{ name: "server", pid: server.pid }],
    startedInMs,
    async stop() {
      await client.close();
      await server.stop();
    },
  };
}

/** Fills an empty store with documents, and creates the two indexes that every operation uses. */
export async function seed(
  { invoices }: ServerUnderLoad,
  documents: number,
  onProgress: (text: string) => void,
): Promise<void> {
  await invoices.createIndex({ number: 1 }, { unique: true });
  await invoices.createIndex({ businessid: 1, createdat: -1 });
  const startedAt = performance.now();
  let next = 0;
  let reported = startedAt;
  const worker = async (): Promise<void> => {
    while (next < documents) {
      const first = next;
      next = Math.min(documents, first + seedBatch);
      const batch = Array.from({ length: next - first }, (_, index) =>
        invoiceDocument(first + index),
      );
      await invoices.insertMany(batch, { ordered: false });
      if (performance.now() - reported > 5_000) {
        reported = performance.now();
        onProgress(`  ${next.toLocaleString("en")} of ${documents.toLocaleString("en")} documents`);
      }
    }
  };
  await Promise.all(Array.from({ length: seedBatchesInFlight }, worker));
  const held = await invoices.estimatedDocumentCount();
  if (held !== documents) throw new Error(`the store holds ${held} of ${documents} documents`);
}
