import type { TestProject } from "vitest/node";
import { startNatsServer, startStore, type TestServer } from "./servers.ts";
import { gatherTemporaryFolders } from "./temporary-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    natsUrl: string;
    mongodbUri: string;
  }
}

const started: TestServer[] = [];

/** Starts one NATS and one store for the whole run. Each test file uses its own namespace in them. */
export async function setup(project: TestProject): Promise<void> {
  gatherTemporaryFolders();
  const nats = await startNatsServer();
  started.push(nats);
  project.provide("natsUrl", nats.url);
  project.provide("mongodbUri", process.env["MONGODB_URI"] ?? (await startOwnStore()));
}

async function startOwnStore(): Promise<string> {
  const store = await startStore();
  started.push(store);
  return store.url;
}

export async function teardown(): Promise<void> {
  await Promise.all(started.splice(0).map(async (server) => server.stop()));
}
