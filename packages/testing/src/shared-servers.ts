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
  afterAll(async () => dropDatabases(mongodbUri, `${namespace}_`));
  return { natsUrl, mongodbUri, namespace };
}

export function freshNamespace(): string {
  return `t${randomBytes(5).toString("hex")}`;
}

async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  try {
    const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
    for (const { name } of databases.filter((each) => each.name.startsWith(prefix))) {
      await client.db(name).dropDatabase();
    }
  } finally {
    await client.close();
  }
}
