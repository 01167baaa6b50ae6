import { randomBytes } from "node:crypto";
import { MongoClient } from "mongodb";
import { afterAll, inject } from "vitest";

export interface SharedServers {
  readonly natsUrl: string;
  readonly mongodbUri: string;
  /** Nobody else's: subjects, streams and databases of this test file begin with it. */
  readonly namespace: string;
}

/** Call it at the top of a test file, before its own hooks: what it cleans up then goes last. */
export function useSharedServers(): SharedServers {
  const natsUrl = inject("natsUrl");
  const mongodbUri = inject("mongodbUri");
  const namespace = freshNamespace();
  afterAll(async () => dropDatabases(mongodbUri));
  return { natsUrl, mongodbUri, namespace };
}

/** What a service reads of its environment when it runs within the test's own process. */
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

const handedOut: string[] = [];

export function freshNamespace(): string {
  const namespace = `t${randomBytes(5).toString("hex")}`;
  handedOut.push(namespace);
  return namespace;
}

/** The same servers, for a test that wants to be alone even within its file. */
export function inOwnNamespace<Servers extends object>(servers: Servers) {
  return { ...servers, namespace: freshNamespace() };
}

async function dropDatabases(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  try {
    const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
    const isOurs = (name: string): boolean =>
      handedOut.some((namespace) => name.startsWith(`${namespace}_`));
    for (const { name } of databases) if (isOurs(name)) await client.db(name).dropDatabase();
  } finally {
    await client.close();
  }
}
