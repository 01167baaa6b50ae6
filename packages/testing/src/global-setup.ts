import type { TestProject } from "vitest/node";
import { startNatsServer, startStore, type TestServer } from "./servers.ts";
import { startStoreRecorder, type StoreRecorder } from "./store-proxy/store-recorder.ts";
import { unlistedWrites } from "./store-proxy/listed-writes.ts";
import { gatherTemporaryFolders } from "./temporary-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    natsUrl: string;
    mongodbUri: string;
    /** The store behind the recorder of conditional writes; outside a run of int tests, the store itself. */
    recordedUri: string;
  }
}

const started: TestServer[] = [];
let recorder: StoreRecorder | undefined;

/** Starts one NATS and one store for the whole run. Each test file uses its own namespace in them. */
export async function setup(project: TestProject): Promise<void> {
  gatherTemporaryFolders();
  const nats = await startNatsServer();
  started.push(nats);
  project.provide("natsUrl", nats.url);
  const storeUri = process.env["MONGODB_URI"] ?? (await startOwnStore());
  if (project.name === "int") recorder = await startStoreRecorder(storeUri);
  project.provide("mongodbUri", storeUri);
  project.provide("recordedUri", recorder?.mongodbUri ?? storeUri);
}

async function startOwnStore(): Promise<string> {
  const store = await startStore();
  started.push(store);
  return store.url;
}

export async function teardown(): Promise<void> {
  try {
    await checkWrites();
  } finally {
    await Promise.all(started.splice(0).map(async (server) => server.stop()));
  }
}

/** In a run of int tests, every conditional write of a service must be in a list: see the README. */
async function checkWrites(): Promise<void> {
  if (!recorder) return;
  const made = await recorder.recorded();
  await recorder.close();
  const unlisted = [...made].flatMap(([service, kinds]) =>
    unlistedWrites(service, kinds).map((kind) => `\n  ${service}: ${kind}`),
  );
  if (unlisted.length === 0) return;
  throw new Error(
    `A conditional-writes.json must say which test races these writes (a test's own writes count ` +
      `too, unless they name their record by _id alone):${unlisted.join("")}`,
  );
}
