import type { TestProject } from "vitest/node";
import { startNatsServer, startStore, type TestServer } from "./servers.ts";
import { gatherTemporaryFolders } from "./temporary-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    natsUrl: string;
    mongodbUri: string;
  }
}

const own: TestServer[] = [];

/** One NATS and one store for a whole run; each test file keeps to names of its own in them. */
export async function setup(project: TestProject): Promise<void> {
  gatherTemporaryFolders();
  const nats = await startNatsServer();
  own.push(nats);
  project.provide("natsUrl", nats.url);
  project.provide("mongodbUri", process.env["MONGODB_URI"] ?? (await startOwnStore()));
}

async function startOwnStore(): Promise<string> {
  const store = await startStore();
  own.push(store);
  return store.url;
}

export async function teardown(): Promise<void> {
  await Promise.all(own.splice(0).map(async (server) => server.stop()));
}
