import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { workspaceRoot } from "@malipo/local";
import { MongoClient } from "mongodb";
import { afterAll, expect, inject, type RunnerTestSuite } from "vitest";
import { racedWrites, unracedWrites } from "./store-proxy/listed-writes.ts";

export interface SharedServers {
  readonly natsUrl: string;
  readonly mongodbUri: string;
  /** Unique to this test file: its subjects, streams and databases begin with it. */
  readonly namespace: string;
}

/** Call it at the top of a test file, before the file's own hooks, so that its clean-up runs last. */
export function useSharedServers(): SharedServers {
  const natsUrl = inject("natsUrl");
  const isOfService = expect.getState().testPath?.startsWith(join(workspaceRoot, "services"));
  const mongodbUri = inject(isOfService ? "recordedUri" : "mongodbUri");
  const namespace = freshNamespace();
  racedWrites.clear();
  // oxlint-disable-next-line no-empty-pattern -- vitest accepts nothing else before the suite
  afterAll(async ({}, suite) => {
    await dropDatabases(mongodbUri);
    if (hasPassed(suite)) checkRaces(suite.file.filepath);
  });
  return { natsUrl, mongodbUri, namespace };
}

/** False if a test failed, or was left out with `-t`: then the races are not complete. */
function hasPassed({ tasks }: RunnerTestSuite): boolean {
  return tasks.every((task) =>
    task.type === "suite" ? hasPassed(task) : task.result?.state === "pass",
  );
}

function checkRaces(file: string): void {
  const unraced = unracedWrites(file);
  if (unraced.length === 0) return;
  throw new Error(`conditional-writes.json says that this file races: ${unraced.join("; ")}`);
}

/** The environment of a service that runs inside the test's own process. */
export function environmentOn({ natsUrl, mongodbUri, namespace }: SharedServers) {
  return {
    NATS_URL: natsUrl,
    MONGODB_URI: mongodbUri,
    NAMESPACE: namespace,
    LOG_LEVEL: "silent",
    HEALTH_HOST: "127.0.0.1",
    HEALTH_PORT: "0",
  };
}

const namespaces: string[] = [];

export function freshNamespace(): string {
  const namespace = `t${randomBytes(5).toString("hex")}`;
  namespaces.push(namespace);
  return namespace;
}

/** The same servers with a new namespace, for a test that must not see the data of its file. */
export function inOwnNamespace<Servers extends object>(servers: Servers) {
  return { ...servers, namespace: freshNamespace() };
}

async function dropDatabases(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  try {
    const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
    const isOurs = (name: string): boolean =>
      namespaces.some((namespace) => name.startsWith(`${namespace}_`));
    for (const { name } of databases) if (isOurs(name)) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}
